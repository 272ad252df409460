"""`gatilho init` and `gatilho uninstall` in real repositories."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from builders import Repo
from terminals import run_on_screen

from gatilho.cli import main
from gatilho.git.root import Repository
from gatilho.hosts import host_named
from gatilho.setup import dispatcher
from gatilho.setup.doctor import interpreter

SETTINGS = ".claude/settings.json"
PRIVATE = ".claude/settings.local.json"
SHARED = [
    "docs/gatilhos/README.md",
    "docs/gatilhos/backlog.md",
    "docs/gatilhos/rules.md",
    "scripts/gatilho.py",
    SETTINGS,
    ".gitattributes",
]


@pytest.fixture(autouse=True)
def _doctor_measures_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_RUNS", 1)


def gatilho(repo: Repo, *words: str) -> int:
    return main([words[0], "--root", str(repo.root), *words[1:]])


def tree(repo: Repo) -> dict[str, bytes]:
    """Every file of the working tree."""
    paths = [
        path for path in repo.root.rglob("*") if path.is_file() and ".git" not in path.relative_to(repo.root).parts
    ]
    return {str(path.relative_to(repo.root)): path.read_bytes() for path in paths}


def test_an_empty_repository_gets_tables_dispatcher_and_hooks(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert gatilho(repo, "init") == 0
    assert sorted(repo.changed()) == sorted(SHARED)
    assert capsys.readouterr().out.splitlines()[:6] == [f"created  {name}" for name in SHARED]
    assert repo.read_bytes("scripts/gatilho.py") == dispatcher.dispatcher_text()
    assert json.loads(repo.read(SETTINGS))["hooks"]["Stop"][0]["hooks"][0]["timeout"] == 90


def test_the_note_names_the_package_and_its_dependencies(repo: Repo) -> None:
    gatilho(repo, "init")
    folders = (repo.root / ".git/gatilho/package").read_text().split()
    assert os.path.isfile(f"{folders[0]}/gatilho/hook.py")
    assert os.path.isdir(f"{folders[-1]}/regex")


def test_twice_changes_nothing(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    gatilho(repo, "init")
    before = tree(repo)
    capsys.readouterr()
    assert gatilho(repo, "init") == 0
    assert tree(repo) == before
    assert capsys.readouterr().out.startswith("Already set up.\n")


def test_there_and_back_leaves_the_tables_only(repo: Repo) -> None:
    repo.write(SETTINGS, '{\r\n\t"model": "opus", "permissions":   {"allow": []}\r\n}')
    repo.write("scripts/build", "x")
    before = tree(repo)
    gatilho(repo, "init")
    assert gatilho(repo, "uninstall") == 0
    after = tree(repo)
    assert {name for name in after if name not in before} == set(SHARED[:3])
    assert {name: after[name] for name in before} == before
    assert not (repo.root / ".git/gatilho/package").exists()


def test_what_init_made_is_gone_after_uninstall_with_its_empty_folders(repo: Repo) -> None:
    gatilho(repo, "init")
    gatilho(repo, "uninstall")
    assert not (repo.root / ".claude").exists()
    assert not (repo.root / "scripts").exists()


def test_uninstall_where_nothing_is_says_so(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert gatilho(repo, "uninstall") == 0
    assert capsys.readouterr().out == "Nothing to remove.\n"


def test_a_dry_run_shows_a_diff_and_writes_nothing(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(SETTINGS, '{\n  "model": "opus"\n}')
    before = tree(repo)
    assert gatilho(repo, "init", "--dry-run", "-v") == 0
    shown = capsys.readouterr().out
    assert tree(repo) == before
    assert not (repo.root / ".git/gatilho").exists()
    assert "--- /dev/null\n+++ b/scripts/gatilho.py\n" in shown
    assert f"--- a/{SETTINGS}\n+++ b/{SETTINGS}\n" in shown
    assert '   "model": "opus"\n' not in shown
    assert '-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n' in shown


def test_the_diff_of_a_dry_run_can_be_applied(repo: Repo, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    repo.write(SETTINGS, '{\n  "model": "opus"\n}')
    gatilho(repo, "init", "--dry-run", "-v")
    patch = capfdbinary.readouterr().out
    subprocess.run(["git", "apply", "-"], input=patch, cwd=repo.root, check=True)
    applied = tree(repo)
    repo.git("clean", "--quiet", "--force", "-d", "docs", "scripts")
    repo.write(SETTINGS, '{\n  "model": "opus"\n}')
    gatilho(repo, "init")
    assert tree(repo) == applied


def test_tables_that_are_there_stay_alone(repo: Repo) -> None:
    repo.write("docs/gatilhos/ours.md", "# Ours\n")
    gatilho(repo, "init")
    assert [name for name in tree(repo) if name.startswith("docs/")] == ["docs/gatilhos/ours.md"]


def test_the_starter_tables_are_empty_tables(repo: Repo) -> None:
    gatilho(repo, "init")
    for name in ("backlog.md", "rules.md"):
        lines = repo.read(f"docs/gatilhos/{name}").splitlines()
        assert lines[-2].startswith("| id | lifecycle | trigger | note |")
        assert lines[-1].count("|") == lines[-2].count("|")
        assert set(lines[-1]) <= set("|-: ")


def test_an_older_dispatcher_is_brought_up_to_date(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("scripts/gatilho.py", "# gatilho dispatcher 1: an older text\n")
    assert gatilho(repo, "init") == 0
    assert repo.read_bytes("scripts/gatilho.py") == dispatcher.dispatcher_text()
    assert "changed  scripts/gatilho.py\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"# gatilho dispatcher 99: of a newer gatilho\n", id="a newer one"),
        pytest.param(dispatcher.dispatcher_text().replace(b"\n", b"\r\n"), id="a checkout with CRLF"),
    ],
)
def test_a_dispatcher_that_does_stays(repo: Repo, content: bytes) -> None:
    repo.write("scripts/gatilho.py", content)
    assert gatilho(repo, "init") == 0
    assert repo.read_bytes("scripts/gatilho.py") == content


def test_a_file_that_is_not_ours_stops_everything(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("scripts/gatilho.py", "print('mine')\n")
    before = tree(repo)
    assert gatilho(repo, "init") == 1
    assert tree(repo) == before
    assert "is not gatilho's dispatcher; nothing was written. Move it away" in capsys.readouterr().err
    gatilho(repo, "uninstall")
    assert tree(repo) == before


@pytest.mark.parametrize("command", ["init", "uninstall"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b'{\n  "hooks": {,\n', f"{SETTINGS}:2:13: this is not JSON", id="broken JSON"),
        pytest.param(b'{\n "x": "\xff"}', f"{SETTINGS}:2: this is not UTF-8", id="not UTF-8"),
    ],
)
def test_broken_settings_stop_everything(
    repo: Repo, command: str, content: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(SETTINGS, content)
    before = tree(repo)
    assert gatilho(repo, command) == 1
    assert tree(repo) == before
    assert capsys.readouterr().err.startswith(f"gatilho: {said}")


def test_a_byte_order_mark_stays(repo: Repo) -> None:
    content = b'\xef\xbb\xbf{\n  "model": "opus"\n}\n'
    repo.write(SETTINGS, content)
    gatilho(repo, "init")
    assert repo.read_bytes(SETTINGS).startswith(b'\xef\xbb\xbf{\n  "model": "opus",\n')
    gatilho(repo, "uninstall")
    assert repo.read_bytes(SETTINGS) == content


def test_local_writes_the_private_settings_and_nothing_else(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert gatilho(repo, "init", "--local") == 0
    assert repo.changed() == []
    command = json.loads(repo.read(PRIVATE))["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    assert command == f"{sys.executable} -I -S {dispatcher.installed()} --host claude ; exit 0 # || exit 0"
    said = capsys.readouterr().out
    assert repo.git("check-ignore", PRIVATE).strip() == PRIVATE
    assert "there are no tables yet" in said
    gatilho(repo, "uninstall")
    assert repo.changed() == []


def test_local_is_silent_where_git_ignores_the_file_and_tables_are_there(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(".gitignore", "*.local.json\n")
    repo.table()
    gatilho(repo, "init", "--local")
    assert capsys.readouterr().out.splitlines() == [
        f"created  {PRIVATE}",
        "created  .git/info/attributes",
        "registered  the merge driver, in git's configuration of this clone",
        f"next, in Claude Code: {host_named('claude').step}",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"*.png binary", b"*.png binary\n**/docs/gatilhos/**/*.md merge=gatilho", id="no final newline"),
        pytest.param(b"* text\r\n", b"* text\r\n**/docs/gatilhos/**/*.md merge=gatilho\r\n", id="CRLF"),
        pytest.param(
            b" **/docs/gatilhos/**/*.md merge=gatilho ", b" **/docs/gatilhos/**/*.md merge=gatilho ", id="there"
        ),
        pytest.param(
            b" docs/gatilhos/**/*.md merge=gatilho ", b" **/docs/gatilhos/**/*.md merge=gatilho ", id="as before"
        ),
    ],
)
def test_the_attributes_of_others_stay(repo: Repo, before: bytes, after: bytes) -> None:
    repo.write(".gitattributes", before)
    gatilho(repo, "init")
    assert repo.read_bytes(".gitattributes") == after


@pytest.mark.parametrize(
    "before", [b"*.png binary", b"*.png binary\n", b"* text\r\n*.a b", b"* text\r\n", b"* text\r\n\r\n"]
)
def test_the_attributes_of_others_come_back_to_the_byte(repo: Repo, before: bytes) -> None:
    repo.write(".gitattributes", before)
    gatilho(repo, "init")
    gatilho(repo, "uninstall")
    assert repo.read_bytes(".gitattributes") == before


@pytest.mark.parametrize("command", [[], ["list"]])
def test_any_command_registers_the_merge_driver_in_a_clone(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    gatilho(repo, "init")
    repo.commit()
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", str(repo.root), str(clone))
    key = ("-C", str(clone), "config", "--get", "merge.gatilho.driver")
    assert repo.git(*key, check=False) == ""
    monkeypatch.chdir(clone)
    assert main(command) == 0
    assert "merge-driver %O %A %B" in repo.git(*key)


def test_any_command_tells_the_dispatcher_of_a_clone_where_the_package_is(repo: Repo, tmp_path: Path) -> None:
    gatilho(repo, "init")
    repo.commit()
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", str(repo.root), str(clone))
    note = clone / ".git/gatilho/package"
    assert main(["doctor", "--root", str(clone)]) == 1
    assert not note.exists()
    for command in ("list", "check"):
        assert main([command, "--root", str(clone)]) == 0
        assert note.read_bytes() == dispatcher.package_note()
        note.write_text(f"{tmp_path}/is-gone\n")
    note.write_text(f"{dispatcher.package_note().decode()}{tmp_path}\n")
    kept = note.read_bytes()
    main(["list", "--root", str(clone)])
    assert note.read_bytes() == kept


def test_no_note_is_written_where_no_dispatcher_is(repo: Repo) -> None:
    repo.table()
    assert gatilho(repo, "check") == 0
    assert not (repo.root / ".git/gatilho/package").exists()


def test_a_dry_run_says_that_nothing_is_left_to_do(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    gatilho(repo, "uninstall", "--dry-run")
    assert capsys.readouterr().out == "Nothing to remove.\n"
    gatilho(repo, "init")
    capsys.readouterr()
    gatilho(repo, "init", "--dry-run")
    assert capsys.readouterr().out == "Already set up.\n"
    gatilho(repo, "uninstall", "--dry-run")
    assert capsys.readouterr().out.startswith("would be removed  the merge driver, from git's configuration\n")
    gatilho(repo, "uninstall")
    capsys.readouterr()
    gatilho(repo, "uninstall", "--dry-run")
    assert capsys.readouterr().out == "Nothing to remove.\n"


def test_uninstall_names_what_this_machine_keeps(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    gatilho(repo, "init")
    gatilho(repo, "list")
    gatilho(repo, "uninstall")
    assert (
        f"kept     {repo.root}/.git/gatilho, this machine's records; delete it to remove them too"
        in capsys.readouterr().out
    )


def test_the_driver_is_registered_and_taken_out_again(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    gatilho(repo, "init", "--dry-run", "-v")
    assert "git config merge.gatilho.driver '" in capsys.readouterr().out
    assert repo.git("config", "--get", "merge.gatilho.driver", check=False) == ""
    gatilho(repo, "init")
    assert "merge-driver %O %A %B %P" in repo.git("config", "--get", "merge.gatilho.driver")
    attribute = repo.git("check-attr", "merge", "--", "docs/gatilhos/a.md", "docs/gatilhos/team/b.md", "docs/a.md")
    assert [line.rsplit(" ", 1)[1] for line in attribute.splitlines()] == ["gatilho", "gatilho", "unspecified"]
    gatilho(repo, "uninstall")
    assert repo.git("config", "--get-regexp", "merge", check=False) == ""
    assert not (repo.root / ".gitattributes").exists()


def test_two_registrations_are_noticed(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    gatilho(repo, "init")
    capsys.readouterr()
    gatilho(repo, "init", "--local")
    assert f"note: {SETTINGS} registers the hooks too" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("echo 3 9", "which is 3.9 here, and gatilho is installed for", id="an older one"),
        pytest.param("exit 1", "which cannot be started here", id="one that fails"),
        pytest.param(f"echo {sys.version_info[0]} {sys.version_info[1]}", "", id="the same"),
    ],
)
def test_a_python3_that_cannot_load_the_package_is_noticed(
    repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: str,
    said: str,
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bin/python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    gatilho(repo, "init")
    noted = "".join(line for line in capsys.readouterr().out.splitlines() if line.startswith("note: "))
    assert said in noted
    assert bool(said) == bool(noted)


def test_a_linked_worktree_shares_the_note(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "other"))
    assert main(["init", "--root", str(tmp_path / "other")]) == 0
    assert (tmp_path / "other/scripts/gatilho.py").is_file()
    assert (repo.root / ".git/gatilho/package").is_file()


def test_a_folder_inside_stands_for_its_repository(repo: Repo) -> None:
    (repo.root / "deep/er").mkdir(parents=True)
    assert main(["init", "--root", str(repo.root / "deep/er")]) == 0
    assert (repo.root / "scripts/gatilho.py").is_file()


@pytest.mark.parametrize("command", ["init", "uninstall"])
def test_outside_of_a_repository_the_call_is_wrong(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--root", str(tmp_path)]) == 2
    assert "is in no git repository. Run `git init` first" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_root_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--root", str(tmp_path / "x")]) == 2
    assert "there is no such directory" in capsys.readouterr().err


def test_a_tree_that_cannot_be_written_is_said(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("docs", "a file where a folder should be\n")
    assert gatilho(repo, "init") == 1
    assert "docs/gatilhos/README.md cannot be written (" in capsys.readouterr().err


def test_the_source_checkout_keeps_its_own_dispatcher() -> None:
    from gatilho.setup.install import plan_uninstall

    root = str(Path(dispatcher.installed()).parent.parent)
    assert [
        one.name
        for one in plan_uninstall(Repository(root, f"{root}/.git", f"{root}/.git"))
        if one.name == dispatcher.PATH and one.changes
    ] == []


def test_the_turn_close_may_take_what_the_configured_conditions_take(repo: Repo) -> None:
    repo.write("gatilho.toml", "[conditions]\ntimeout = 100\n")
    assert gatilho(repo, "init") == 0
    hooks = json.loads(repo.read(".claude/settings.json"))["hooks"]
    limits = {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()}
    assert limits["Stop"] >= 200
    assert limits["PreToolUse"] < 60


ALL = ["claude", "codex", "copilot", "cursor", "factory", "gemini", "opencode", "qwen"]


def test_every_host_is_registered_with_at_once_and_taken_out_to_the_byte(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {
        ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
        ".gemini/settings.json": '{\n    "theme": "dark"\n}\n',
        ".cursor/hooks.json": '{\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "./x.sh"}]\n  }\n}\n',
        ".github/hooks/other.json": "{}",
        ".opencode/plugins/mine.js": "export const Mine = async () => ({})\n",
    }
    for name, text in before.items():
        repo.write(name, text)
    assert gatilho(repo, "init", "--host", *ALL) == 0
    said = capsys.readouterr().out
    assert [f"next, in {host_named(name).title}: {host_named(name).step}" in said for name in ALL] == [True] * 8
    after = tree(repo)
    assert gatilho(repo, "init", "--host", *ALL) == 0
    assert capsys.readouterr().out.startswith("Already set up.\n")
    assert tree(repo) == after

    for name in ALL:
        host = host_named(name)
        text = repo.read(host.settings.shared)
        assert text.count(f"--host {name}") >= len(host.limits) or name == "opencode"
        if name in ("cursor", "copilot"):
            hooks = json.loads(text)
            assert hooks["version"] == 1
            assert {event: entries[-1].get("timeout", entries[-1].get("timeoutSec")) for event, entries in
                    hooks["hooks"].items()} == dict(host.limits)  # fmt: skip
    assert json.loads(repo.read(".gemini/settings.json"))["hooks"]["AfterAgent"][0]["hooks"][0]["timeout"] == 90000
    assert json.loads(repo.read(".codex/hooks.json"))["hooks"]["Stop"][0]["hooks"][0]["command"] == "x"
    copilot = json.loads(repo.read(".github/hooks/gatilho.json"))["hooks"]["PreToolUse"][0]
    assert copilot["powershell"].endswith("--host copilot; exit 0")
    assert "||" not in copilot["powershell"]

    assert gatilho(repo, "uninstall") == 0
    left = tree(repo)
    assert {name: left[name].decode() for name in before} == before
    assert not any((repo.root / host_named(name).settings.shared).exists() for name in ALL if name not in
                   ("codex", "gemini", "cursor"))  # fmt: skip


@pytest.mark.parametrize("end", ["", "\n"])
def test_codex_hooks_that_are_toml_get_ours_at_the_end(repo: Repo, end: str) -> None:
    config = ".codex/config.toml"
    theirs = '# ours\nmodel = "m"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"' + end
    repo.write(config, theirs)
    assert gatilho(repo, "init", "--host", "codex") == 0
    once = repo.read(config)
    assert once.startswith(theirs)
    hooks = tomllib.loads(once)["hooks"]
    assert [group["hooks"][0]["command"] == "x" for group in hooks["Stop"]] == [True, False]
    assert {event: groups[-1]["hooks"][0]["timeout"] for event, groups in hooks.items()} == host_named("codex").limits
    assert not (repo.root / ".codex/hooks.json").exists()
    gatilho(repo, "init", "--host", "codex")
    assert repo.read(config) == once
    gatilho(repo, "uninstall")
    assert repo.read(config) == theirs


def test_the_trust_in_hooks_is_no_hook_of_codex(home: Path) -> None:
    (home / ".codex").mkdir()
    trust = '[hooks.state."/x/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    (home / ".codex/config.toml").write_text(trust)
    assert main(["init", "--user", "--host", "codex"]) == 0
    assert (home / ".codex/config.toml").read_text() == trust
    assert (home / ".codex/hooks.json").is_file()


@pytest.fixture
def agents(tmp_path: Path) -> dict[str, str]:
    """An environment with two agents on the PATH, and nothing of the machine's own besides git and a home."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "python3", "sh"):
        (programs / name).symlink_to(str(shutil.which(name)))
    for name in ("codex", "kiro-cli"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    return {"PATH": str(programs), "HOME": str(tmp_path), "TERM": "dumb", "COLUMNS": "100"}


def test_agents_are_looked_for_shown_and_registered_with_after_a_yes(repo: Repo, agents: dict[str, str]) -> None:
    repo.write(".gemini/settings.json", '{\n  // mine\n  "theme": "dark"\n}\n')
    before = tree(repo)
    refused = run_on_screen("init", cwd=repo.root, typed="\n", env=agents)
    assert refused.status == 3
    found = refused.stdout.split("Found here:\n")[1].splitlines()
    assert [line.split() for line in found[:3]] == [
        ["Codex", "the", "program", "`codex`"], ["Gemini", "CLI", ".gemini/"], ["Kiro", "the", "program", "`kiro-cli`"],
    ]  # fmt: skip
    assert "would be changed  .gemini/settings.json" in refused.stdout
    assert refused.stdout.index("would be created  .codex/hooks.json") < refused.stdout.index(
        "Register with Codex, Gemini CLI, Kiro? [y/N]"
    )
    assert "Nothing was written." in refused.stdout
    assert tree(repo) == before

    agreed = run_on_screen("init", cwd=repo.root, typed="y\n", env=agents)
    assert agreed.status == 0, agreed.stdout
    steps = [line for line in agreed.stdout.splitlines() if line.startswith("next, in ")]
    assert [step.split(":")[0] for step in steps] == ["next, in Codex", "next, in Gemini CLI", "next, in Kiro"]
    assert not (repo.root / ".claude").exists()
    assert "--host codex" in repo.read(".codex/hooks.json")
    assert '  // mine\n  "theme": "dark",\n' in repo.read(".gemini/settings.json")


def test_without_a_person_what_is_found_is_only_shown(
    repo: Repo, agents: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CLAUDE.md", ".github/copilot-instructions.md"):
        repo.write(name, "x\n")
    monkeypatch.setenv("PATH", agents["PATH"])
    before = tree(repo)
    assert gatilho(repo, "init", "--detect") == 3
    said = capsys.readouterr().out
    assert (
        "Use `gatilho init --detect --yes`, or `gatilho init --host NAME` (found: claude codex copilot kiro)." in said
    )
    assert gatilho(repo, "init", "--detect", "--dry-run") == 0
    assert tree(repo) == before
    assert gatilho(repo, "init", "--detect", "--yes") == 0
    assert "--host copilot" in repo.read(".github/hooks/gatilho.json")
    assert gatilho(repo, "init", "--detect", "--host", "claude") == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("vscode", "VS Code reads the file that Copilot CLI reads: use `--host copilot`"),
        ("gemni", "no host is called `gemni`. Did you mean `gemini`?"),
    ],
)
def test_a_host_that_cannot_be_registered_with_is_explained(
    repo: Repo, name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gatilho(repo, "init", "--host", name) == 2
    assert said in capsys.readouterr().err
    assert repo.changed() == []


def test_a_dry_run_is_short_unless_all_of_it_is_asked_for(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(repo)
    gatilho(repo, "init", "--host", "gemini", "--dry-run")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 8
    assert any(line.startswith("would be created  .gemini/settings.json  (+") for line in lines)
    assert tree(repo) == before


def test_a_file_that_cannot_be_written_stops_all_of_it(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    file = ".gemini/settings.json"
    repo.write(file, "{}\n")
    (repo.root / file).chmod(0o444)
    before = tree(repo)
    assert gatilho(repo, "init", "--host", "gemini") == 1
    assert f"{file} is read-only; nothing was written. Make it writable and try again." in capsys.readouterr().err
    assert tree(repo) == before
    (repo.root / file).unlink()
    (repo.root / file).symlink_to("not there")
    assert gatilho(repo, "init", "--host", "gemini") == 1
    assert f"{file} is a link to a missing file; nothing was written. Remove the link." in capsys.readouterr().err
    assert tree(repo) == {name: data for name, data in before.items() if name != file}


def test_scripts_of_others_stay_beside_ours(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is a file of rules leaves the other folder; a script that hands its input to us counts as ours."""
    repo.write(".clinerules", "Be kind.\n")
    repo.write(".cline/hooks/TaskStart", "#!/bin/sh\necho mine\n")
    before = tree(repo)
    assert gatilho(repo, "init", "--host", "cline") == 1
    assert ".cline/hooks/TaskStart is there and is not gatilho's; nothing was written." in capsys.readouterr().err
    assert tree(repo) == before
    repo.write(".cline/hooks/TaskStart", "#!/bin/sh\ntee log | gatilho hook --host cline\n")
    before = tree(repo)
    assert gatilho(repo, "init", "--host", "cline") == 0
    assert os.access(repo.path(".cline/hooks/PreToolUse"), os.X_OK)
    assert gatilho(repo, "uninstall") == 0
    assert [name for name in tree(repo) if name not in before] == [
        f"docs/gatilhos/{name}.md" for name in ("README", "backlog", "rules")
    ]


def test_a_module_of_another_stays(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".opencode/plugins/gatilho.js", "export const Mine = 1\n")
    before = tree(repo)
    assert gatilho(repo, "init", "--host", "opencode") == 1
    assert "is not gatilho's; nothing was written" in capsys.readouterr().err
    gatilho(repo, "uninstall")
    assert tree(repo) == before


def test_a_host_without_private_settings_says_so(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert gatilho(repo, "init", "--local", "--host", "codex") == 2
    assert "Codex reads no private settings in a repository: use --user" in capsys.readouterr().err


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the person's own, with settings in it."""
    made = tmp_path / "home"
    (made / ".claude").mkdir(parents=True)
    (made / ".claude/settings.json").write_text('{\n  "model": "opus"\n}\n')
    monkeypatch.setenv("HOME", str(made))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return made


def start_in(folder: Path, command: str) -> str:
    """What a registered command answers to the start of a session in a folder."""
    event = {"hook_event_name": "SessionStart", "session_id": "s-1", "cwd": str(folder), "source": "startup"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, input=json.dumps(event), capture_output=True, encoding="utf-8", timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_person_registers_once_for_every_repository_and_folder(repo: Repo, home: Path, tmp_path: Path) -> None:
    before = (home / ".claude/settings.json").read_bytes()
    assert main(["init", "--user", "--host", *ALL]) == 0
    assert [name for name in ALL if not (home / host_named(name).settings.user).is_file()] == []
    settings = (home / ".claude/settings.json").read_text()
    command = json.loads(settings)["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert command == f"{sys.executable} -I -S {dispatcher.installed()} --host claude ; exit 0 # || exit 0"
    assert main(["init", "--user"]) == 0
    assert (home / ".claude/settings.json").read_text() == settings

    (repo.root / "deep/er").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    assert [start_in(folder, command) for folder in (repo.root, repo.root / "deep/er", tmp_path / "elsewhere")] == [
        "", "", "",
    ]  # fmt: skip
    repo.table("| R-1 | rule | `path: ^src/` | a note | | 0 | rule |")
    assert "1 row in force" in start_in(repo.root / "deep/er", command)
    assert repo.changed() == []

    assert main(["uninstall", "--user"]) == 0
    assert (home / ".claude/settings.json").read_bytes() == before
    assert [path for path in home.rglob("*") if path.is_file()] == [home / ".claude/settings.json"]


def test_a_home_that_a_host_is_given_is_used(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    assert main(["init", "--user", "--host", "codex"]) == 0
    assert (tmp_path / "codex/hooks.json").is_file()
    assert not (home / ".codex").exists()
    assert "next, in Codex:" in capsys.readouterr().out


def test_the_private_settings_are_ignored_in_this_clone_alone(repo: Repo) -> None:
    exclude = repo.root / ".git/info/exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_bytes(b"# mine\n*.log")
    assert gatilho(repo, "init", "--local") == 0
    assert exclude.read_bytes() == b"# mine\n*.log\n/.claude/settings.local.json"
    assert repo.changed() == []
    gatilho(repo, "init", "--local")
    assert exclude.read_bytes().count(b"settings.local") == 1
    gatilho(repo, "uninstall")
    assert exclude.read_bytes() == b"# mine\n*.log"


def test_a_subfolder_in_which_no_hook_would_run_is_said(
    repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    warning = "a session that starts in a subfolder runs no hooks of the project"
    gatilho(repo, "init", "--host", "claude", "codex")
    (repo.root / "deep").mkdir()
    said = []
    for folder in (repo.root, repo.root / "deep"):
        monkeypatch.chdir(folder)
        main(["doctor"])
        said.append(warning in capsys.readouterr().out)
    assert said == [False, True]
    main(["init", "--user"])
    capsys.readouterr()
    main(["doctor"])
    assert warning not in capsys.readouterr().out
