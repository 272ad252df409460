"""A repository whose configuration names programs: nothing that looks at it runs one, and no network is asked."""

import os
import subprocess
from pathlib import Path

import pytest
from builders import BACKLOG, Repo, row, run_cli, run_hook
from claude_session import Session, edit, turn

from gatilho.git import query

PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.sshCommand", "core.gitProxy", "core.editor", "core.askPass",
    "credential.helper", "diff.external", "diff.tables.textconv", "diff.tables.command", "filter.x.clean",
    "filter.x.smudge", "filter.y=z.process", "gpg.program", "interactive.diffFilter", "merge.gatilho.driver",
    "pager.log", "pager.diff", "remote.origin.uploadpack",
)  # fmt: skip
COMMANDS = (
    ("check",), ("check", "--since", "HEAD~1"), ("diff",), ("diff", "HEAD~1..HEAD"), ("show", "D-1"), ("list",),
    ("log", "D-1"), ("log", "--since", "3 years ago"), ("why", "src/a.py"), ("doctor",), (),
)  # fmt: skip
AREA = "| id | trigger | note | kind |\n| --- | --- | --- | --- |\n| R-1 | `glob: src/*` | in the area | convention |\n"


@pytest.fixture
def hostile(repo: Repo, tmp_path: Path) -> Repo:
    """A repository with a row, a commit that claims a signature, tracked files with filters, and changes everywhere."""
    repo.write(".gitattributes", "*.md diff=tables merge=gatilho filter=x\n*.py filter=x\n*.txt filter=y=z\n")
    repo.write("src/a.py", "x = 1\n")
    repo.write("src/b.txt", "b\n")
    repo.table(row("D-1", r"^src/a\.py$", "a note", paid_when="contains src/gone.py done", rides=1),
               commit=False)  # fmt: skip
    repo.write("docs/gatilhos/area.md", AREA)
    repo.commit()
    repo.git("mv", "src/b.txt", "src/c.txt")
    repo.commit()
    _sign_in_vain(repo)
    program = tmp_path / "program"
    for name in PROGRAMS:
        script = tmp_path / f"program-{name.replace('=', '-')}"
        script.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran-{script.name}'\nexit 1\n")
        script.chmod(0o755)
        repo.git("config", name, str(script))
    for hook in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        program = repo.root / ".git/hooks" / hook
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran-hook-{hook}'\n")
        program.chmod(0o755)
    repo.git("config", "log.showSignature", "true")
    for name in ("src/a.py", "src/c.txt"):  # of the same size, so that only the contents decide
        data = repo.read_bytes(name)
        repo.write(name, bytes(reversed(data)))
        os.utime(repo.root / name, (1_700_000_000, 1_700_000_000))
    for ran in ran_programs(tmp_path):
        (tmp_path / ran).unlink()
    return repo


def _sign_in_vain(repo: Repo) -> None:
    """Give HEAD a signature that only a program could judge."""
    commit = repo.git("cat-file", "commit", "HEAD")
    head, _, message = commit.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}"
    done = subprocess.run(["git", "hash-object", "-t", "commit", "-w", "--stdin"], cwd=repo.root,
                          input=signed.encode(), capture_output=True, check=True)  # fmt: skip
    repo.git("update-ref", "HEAD", done.stdout.decode().strip())


def ran_programs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("ran-"))


def test_the_configuration_does_name_programs_that_git_runs(hostile: Repo, tmp_path: Path) -> None:
    for command in ("status", "diff HEAD", "log -1"):
        hostile.git(*command.split(), check=False)
    assert {"ran-program-core.fsmonitor", "ran-program-filter.x.clean", "ran-program-gpg.program"} <= set(
        ran_programs(tmp_path)
    )


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_runs_a_program_that_the_configuration_names(
    hostile: Repo, tmp_path: Path, command: tuple[str, ...]
) -> None:
    run_cli(*command, cwd=hostile.root)
    assert ran_programs(tmp_path) == []


def test_no_hook_runs_a_program_that_the_configuration_names(hostile: Repo, tmp_path: Path) -> None:
    session = Session(hostile)
    assert "in the area" in run_hook(session.session_start()).context  # so the working tree was compared
    turn(hostile, edit("src/a.py", "1", "2"), session=session)
    assert ran_programs(tmp_path) == []


def test_an_object_that_a_partial_clone_lacks_is_not_fetched(
    hostile: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_ALLOW_PROTOCOL")
    hostile.git("config", "remote.origin.url", "ssh://nowhere.invalid/x")
    hostile.git("config", "remote.origin.promisor", "true")
    hostile.git("config", "extensions.partialClone", "origin")
    hostile.git("config", "core.repositoryFormatVersion", "1")
    blob = hostile.git("rev-parse", f"HEAD:{BACKLOG}").strip()
    (hostile.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert query.ask(str(hostile.root), "cat-file", "blob", blob) is None
    session = Session(hostile)
    run_hook(session.session_start())
    run_hook(session.post("Edit", file_path=hostile.path("src/a.py"), old_string="", new_string="x"))
    for command in COMMANDS:
        run_cli(*command, cwd=hostile.root)
    assert ran_programs(tmp_path) == []
    hostile.git("cat-file", "blob", blob, check=False)
    assert "ran-program-core.sshCommand" in ran_programs(tmp_path)  # git by itself would have


def test_settings_that_a_person_passes_to_git_stay(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.nickname")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "kept")
    assert query.ask(str(repo.root), "config", "user.nickname") == b"kept\n"
    assert query.ask(str(repo.root), "config", "core.fsmonitor") == b"false\n"
