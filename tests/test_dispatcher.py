"""The dispatcher, as a process: where it finds the package, and what it does without one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import CHECKOUT, DISPATCHER, Repo

from gatilho import __version__

START = b'{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}'
TOUCH = b'{"session_id":"s","hook_event_name":"PreToolUse","tool_input":{"content":"\\"SessionStart\\""}}'
# What the stand-in package prints: who answered, with which arguments, what of the event reached it.
HOOK = """\
import sys
def main(argv):
    sys.stdout.write("{name} " + " ".join(argv) + " " + str(len(sys.stdin.buffer.read())))
    return 0
"""


def package(folder: Path, name: str) -> Path:
    """A package of our name in the folder, which says that it is the one that answered."""
    (folder / "gatilho").mkdir(parents=True)
    (folder / "gatilho/__init__.py").write_text("")
    (folder / "gatilho/hook.py").write_text(HOOK.format(name=name))
    (folder / "pyproject.toml").write_text('[project]\nname = "gatilho"\nversion = "1"\n')
    return folder


def note(git_dir: Path, *folders: Path) -> None:
    (git_dir / "gatilho").mkdir(exist_ok=True)
    (git_dir / "gatilho/package").write_text("".join(f"{folder}\n" for folder in folders))


def dispatch(
    root: Path, event: bytes = START, flags: tuple[str, ...] = ("-I", "-S"), python: str = sys.executable, **env: str
) -> str:
    """Run the project's dispatcher on an event: what it printed. It must exit 0 and say nothing else."""
    done = subprocess.run(
        [python, *flags, str(root / "scripts/gatilho.py"), "--host", "claude"],
        input=event,
        capture_output=True,
        cwd=root.parent,
        env={**os.environ, **env},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def answered(name: str, event: bytes = START) -> str:
    return f"{name} --host claude {len(event)}"


@pytest.fixture
def project(repo: Repo) -> Path:
    """A repository with the dispatcher and no package anywhere near."""
    (repo.root / "scripts").mkdir()
    shutil.copy(DISPATCHER, repo.root / "scripts/gatilho.py")
    return repo.root


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment whose site-packages hold a package."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    package(site, "site")
    return folder / "bin/python"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter in whose site-packages there is no package of ours."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin/python")


def test_it_has_at_most_twenty_lines_of_bearable_width() -> None:
    lines = DISPATCHER.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 120
    assert lines[0].startswith("# gatilho dispatcher ")


def test_a_noted_package_comes_first(project: Path, tmp_path: Path, elsewhere: Path) -> None:
    note(project / ".git", package(tmp_path / "noted", "noted"))
    package(project, "checkout")
    assert dispatch(project, python=str(elsewhere)) == answered("noted")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("/nowhere/at/all\n", id="a folder that is gone"),
        pytest.param("", id="an empty note"),
        pytest.param("\n\n", id="a note of blank lines"),
        pytest.param("relative\n", id="a folder that is not absolute and not there"),
    ],
)
def test_a_stale_note_is_passed_over(project: Path, text: str) -> None:
    note(project / ".git")
    (project / ".git/gatilho/package").write_text(text)
    package(project, "checkout")
    assert dispatch(project) == answered("checkout")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives a folder away")
def test_a_noted_package_of_another_person_is_passed_over(project: Path, tmp_path: Path) -> None:
    noted = package(tmp_path / "noted", "noted")
    note(project / ".git", noted)
    package(project, "checkout")
    os.chown(noted, 12345, 12345)
    assert dispatch(project) == answered("checkout")


@pytest.mark.parametrize(
    ("init", "proof", "answers"),
    [
        ((CHECKOUT / "gatilho/__init__.py").read_text(), f"gatilho-{__version__}.dist-info/METADATA", True),
        ((CHECKOUT / "gatilho/__init__.py").read_text(), "gatilho-0.0.9.dist-info/METADATA", False),
        ("", f"gatilho-{__version__}.dist-info/METADATA", False),
        (None, "pyproject.toml", False),
        ("", "", False),
    ],
    ids=["as installed", "another version", "no version", "another project", "a bare folder"],
)
def test_a_noted_folder_is_known_by_name_and_version(
    project: Path, tmp_path: Path, init: str | None, proof: str, answers: bool
) -> None:
    noted = package(tmp_path / "noted", "noted")
    (noted / "pyproject.toml").unlink()
    (noted / "gatilho/__init__.py").unlink() if init is None else (noted / "gatilho/__init__.py").write_text(init)
    (noted / (proof or "x")).parent.mkdir(exist_ok=True)
    (noted / (proof or "x")).write_text('[project]\nname = "other"\n')
    note(project / ".git", noted)
    package(project, "checkout")
    assert dispatch(project) == answered("noted" if answers else "checkout")


def test_an_undecodable_note_is_passed_over(project: Path) -> None:
    note(project / ".git")
    (project / ".git/gatilho/package").write_bytes(b"/tmp/\xff\xfe\n")
    package(project, "checkout")
    assert dispatch(project) == answered("checkout")


def test_the_checkout_it_lies_in_comes_second(project: Path, elsewhere: Path) -> None:
    package(project, "checkout")
    assert dispatch(project, python=str(elsewhere)) == answered("checkout")


def test_the_interpreters_own_packages_come_last(project: Path, elsewhere: Path) -> None:
    assert dispatch(project, python=str(elsewhere)) == answered("site")


def test_a_folder_of_our_name_without_a_hook_is_no_package(project: Path, elsewhere: Path) -> None:
    (project / "gatilho").mkdir()
    (project / "gatilho/notes.py").write_text("raise SystemExit(7)")
    assert dispatch(project, python=str(elsewhere)) == answered("site")


@pytest.mark.parametrize(
    "flags", [(), ("-S",), ("-I",), ("-E", "-s")], ids=["no flags", "no site", "isolated", "no environment"]
)
def test_it_does_not_import_itself(project: Path, flags: tuple[str, ...]) -> None:
    package(project, "checkout")
    assert dispatch(project, flags=flags) == answered("checkout")
    assert dispatch(project, flags=flags, PYTHONPATH=str(project / "scripts")) == answered("checkout")


def test_further_noted_folders_hold_the_dependencies(project: Path, tmp_path: Path) -> None:
    noted = package(tmp_path / "noted", "noted")
    (tmp_path / "more").mkdir()
    (tmp_path / "more/only_there.py").write_text("NAME = 'there'")
    (noted / "gatilho/hook.py").write_text(
        "def main(argv):\n    from only_there import NAME\n    print(NAME)\n    return 0\n"
    )
    note(project / ".git", noted, tmp_path / "more")
    assert dispatch(project) == "there\n"


def test_a_noted_folder_hides_no_standard_module(project: Path, tmp_path: Path) -> None:
    noted = package(tmp_path / "noted", "noted")
    (noted / "argparse.py").write_text("raise SystemExit('the wrong argparse')")
    (noted / "gatilho/hook.py").write_text(
        "def main(argv):\n    import argparse\n    print(argparse.SUPPRESS)\n    return 0\n"
    )
    note(project / ".git", noted)
    assert dispatch(project) == "==SUPPRESS==\n"


@pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])
def test_a_linked_worktree_uses_the_note_of_its_repository(project: Path, tmp_path: Path, relative: bool) -> None:
    note(project / ".git", package(tmp_path / "noted", "noted"))
    linked = tmp_path / "worktrees" / "linked"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(linked)], cwd=project, check=True)
    shutil.copytree(project / "scripts", linked / "scripts")
    if relative:
        target = (linked / ".git").read_text().removeprefix("gitdir: ").strip()
        (linked / ".git").write_text(f"gitdir: {os.path.relpath(target, linked)}\n")
    assert dispatch(linked) == answered("noted")


def test_a_submodule_uses_its_own_note(project: Path, tmp_path: Path) -> None:
    outer = Repo(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(project), "sub")
    shutil.copytree(project / "scripts", outer.root / "sub/scripts")
    note(outer.root / ".git/modules/sub", package(tmp_path / "noted", "noted"))
    assert dispatch(outer.root / "sub") == answered("noted")


@pytest.mark.parametrize("link", ["", "gitdir:", "nonsense", "gitdir: /nowhere/.git/worktrees/x"])
def test_a_git_file_that_leads_nowhere_costs_only_the_note(project: Path, link: str) -> None:
    shutil.rmtree(project / ".git")
    (project / ".git").write_text(link)
    package(project, "checkout")
    assert dispatch(project) == answered("checkout")


def test_without_git_the_checkout_serves(project: Path) -> None:
    shutil.rmtree(project / ".git")
    package(project, "checkout")
    assert dispatch(project) == answered("checkout")


def test_off_is_honoured_before_any_import_of_ours(project: Path) -> None:
    (package(project, "checkout") / "gatilho/__init__.py").write_text("print('imported')")
    assert dispatch(project, GATILHO="off") == ""
    assert dispatch(project, GATILHO="on") == "imported\n" + answered("checkout")


def test_off_still_reads_the_whole_event(project: Path) -> None:
    assert dispatch(project, event=START + b" " * 2_000_000, GATILHO="off") == ""


def test_a_missing_package_is_told_to_the_person_at_the_start_of_a_session(project: Path, bare: str) -> None:
    told = json.loads(dispatch(project, python=bare))
    assert list(told) == ["systemMessage"]
    version = "{}.{}".format(*sys.version_info)
    assert told["systemMessage"].startswith(f"Python {version} has no gatilho (needs 3.11 or later): ")
    assert "`pipx install gatilho; gatilho init`" in told["systemMessage"]


@pytest.mark.parametrize("event", [TOUCH, b"", b"{", b"x" * 2_000_000], ids=["a touch", "nothing", "broken", "long"])
def test_a_missing_package_is_silent_otherwise(project: Path, bare: str, event: bytes) -> None:
    assert dispatch(project, event, python=bare) == ""


@pytest.mark.parametrize("source", ["def main(", "raise RuntimeError", "import nowhere_to_be_found"])
def test_a_package_that_cannot_be_loaded_stops_nobody(project: Path, source: str) -> None:
    (package(project, "broken") / "gatilho/hook.py").write_text(source)
    assert dispatch(project, TOUCH) == ""


def test_its_own_part_imports_no_further_module(project: Path) -> None:
    """What `os`, `site` and `json` cost is paid by every tool call."""
    package(project, "checkout")
    hook = "import sys\ndef main(argv):\n    print(*sorted(sys.modules))\n    return 0\n"
    (project / "gatilho/hook.py").write_text(hook)
    loaded = set(dispatch(project).split())
    probe = [sys.executable, "-I", "-S", "-c", "import sys; print(*sys.modules)"]
    bare = set(subprocess.run(probe, capture_output=True, text=True, check=True).stdout.split())
    assert loaded - bare <= {"gatilho", "gatilho.hook", "posix"}


def test_the_shared_command_finds_it_from_any_folder_and_fails_open(repo: Repo, tmp_path: Path) -> None:
    from gatilho.setup import registration

    command = registration.shared_command(registration.registrable()["claude"]).replace("python3", sys.executable, 1)
    run = {"shell": True, "input": START, "capture_output": True, "cwd": tmp_path}
    env = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo.root)}
    missing = subprocess.run(command, env=env, **run)  # type: ignore[call-overload]
    assert (missing.returncode, missing.stdout) == (0, b"")
    (repo.root / "scripts").mkdir()
    shutil.copy(DISPATCHER, repo.root / "scripts/gatilho.py")
    package(repo.root, "checkout")
    assert subprocess.run(command, env=env, **run).stdout.decode() == answered("checkout")  # type: ignore[call-overload]
    run["cwd"] = repo.root
    assert subprocess.run(command, **run).stdout.decode() == answered("checkout")  # type: ignore[call-overload]
