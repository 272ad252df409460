"""What the doctor finds of registrations: whatever form and place, tried as the host would, and whether it is trusted."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from builders import CHECKOUT, Repo
from coding_agents import CLIENTS

from gatilho.cli import main
from gatilho.git.root import Repository
from gatilho.setup import registration
from gatilho.setup.doctor import hooks, interpreter, trust
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.setup.registration import registrable

ALL = sorted(registrable())


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the person's own; the `python3` of the hooks is the interpreter of the tests, and no agent is there."""
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(interpreter, "_RUNS", 1)
    return tmp_path / "home"


def findings_of(repo: Repo, *statuses: str) -> list[Finding]:
    repository = Repository(str(repo.root), f"{repo.root}/.git", f"{repo.root}/.git")
    found, findings = hooks.find_registered(repository)
    return [one for one in findings + hooks.inspect(repository, found) if one.status in (statuses or (OK, NOTE, WRONG))]


def looked_at(repo: Repo, *statuses: str) -> list[str]:
    return [one.text for one in findings_of(repo, *statuses)]


def init(repo: Repo, *words: str) -> None:
    assert main(["init", "--root", str(repo.root), *words]) == 0


def test_the_command_of_every_host_answers_and_is_measured(repo: Repo) -> None:
    repo.write(".codex/config.toml", '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n')
    repo.write(".gemini/settings.json", '{\n  // mine\n  "theme": "dark"\n}\n')
    init(repo, "--host", *ALL)
    assert looked_at(repo, WRONG, NOTE) == []
    answers = [
        one for one in looked_at(repo, OK) if re.search(r" answers \(one that matches no row takes \d+ ms\)$", one)
    ]
    assert len(answers) == len(ALL)
    assert answers[0].startswith("the command of .claude/settings.json answers")
    assert any("the command of .codex/config.toml answers" in one for one in answers)


@pytest.mark.parametrize(
    ("file", "host", "before", "after", "said"),
    [
        (".cursor/hooks.json", "cursor", '"stop"', '"stopp"', "it does not call gatilho on stop"),
        (".github/hooks/gatilho.json", "copilot", '"timeoutSec": 90', '"timeoutSec": 9', "too short a time limit"),
        (".opencode/plugins/gatilho.js", "opencode", "briefings", "brief", "it calls gatilho in an older way"),
        (".kiro/hooks/gatilho.json", "kiro", '"timeout": 90', '"timeout": 9', "too short a time limit"),
        (".codex/config.toml", "codex", "timeout = 90", "timeout = 9", "too short a time limit"),
        (".clinerules/hooks/TaskComplete", "cline", "python3", "python4", "it calls gatilho in an older way"),
    ],
)  # fmt: skip
def test_files_of_any_form_are_read_and_mended(
    repo: Repo, file: str, host: str, before: str, after: str, said: str
) -> None:
    if file.endswith(".toml"):
        repo.write(file, '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n')
    init(repo, "--host", host)
    good = repo.read(file)
    assert before in good
    repo.write(file, good.replace(before, after, 1))
    (wrong,) = findings_of(repo, WRONG)
    assert said in wrong.text
    assert wrong.fix is not None
    wrong.fix()
    assert looked_at(repo, WRONG) == []


@pytest.mark.parametrize("end", ["qwen || exit 0", "claude ; exit 0 # || exit 0"], ids=["of before", "of another host"])
def test_a_persons_line_is_brought_up_to_date_with_the_programs_that_it_starts(
    repo: Repo, home: Path, end: str
) -> None:
    repo.write("docs/gatilhos/backlog.md", "")
    init(repo, "--user", "--host", "qwen")
    file = home / ".qwen/settings.json"
    good = file.read_text()
    other = good.replace("/bin/python", "/bin/../bin/python")
    file.write_text(other)
    assert looked_at(repo, WRONG) == []
    file.write_text(other.replace("qwen ; exit 0 # || exit 0", end))
    (wrong,) = findings_of(repo, WRONG)
    assert wrong.text.endswith("it calls gatilho in an older way, or with too short a time limit")
    assert wrong.remedy == "run `gatilho init --user --host qwen`"
    assert wrong.fix is not None
    wrong.fix()
    assert file.read_text() == other


def test_hooks_that_a_person_switched_off_one_by_one_are_named(repo: Repo, home: Path) -> None:
    init(repo, "--host", "gemini", "kiro")
    repo.write(".kiro/hooks/gatilho.json", repo.read(".kiro/hooks/gatilho.json").replace("true", "false", 1))
    line = registration.shared_command(registrable()["gemini"])
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text(json.dumps({"hooksConfig": {"disabled": ["other", line]}}))
    assert [(one.text, one.remedy) for one in findings_of(repo, WRONG)] == [
        (
            f"`hooksConfig.disabled` in {home}/.gemini/settings.json keeps Gemini CLI from calling `{line}` of "
            ".gemini/settings.json",
            f"take it out of that list in {home}/.gemini/settings.json",
        ),
        (
            ".kiro/hooks/gatilho.json has `enabled: false` for the calls of gatilho on SessionStart",
            "set it to true in .kiro/hooks/gatilho.json",
        ),
    ]


def test_a_script_is_tried_in_a_folder_with_any_name(tmp_path: Path) -> None:
    root = tmp_path / 'it\'s "q" $HOME `x`'
    repo = Repo(root)
    init(repo, "--host", "cline")
    assert looked_at(repo, WRONG) == []


def test_a_file_that_its_host_does_not_read_gets_our_hooks_and_is_named(
    repo: Repo, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What each host reads was tried on the real clients."""
    repo.write(".claude/settings.json", '{\n  "permissions": {"allow": ["Read",]} // mine\n}\n')
    repo.write(".gemini/settings.json", "{ // read\n}\n")
    (home / ".copilot/hooks").mkdir(parents=True)
    (home / ".copilot/hooks/gatilho.json").write_bytes(b'\xef\xbb\xbf{"version": 1}')
    init(repo, "--host", "claude", "gemini")
    init(repo, "--user", "--host", "copilot")
    unread = [
        (".claude/settings.json:2: Claude Code", "comments", "the comments"),
        (".claude/settings.json:2: Claude Code", "a comma after the last entry", "that comma"),
        ("~/.copilot/hooks/gatilho.json:1: Copilot CLI", "a byte order mark", "that mark"),
    ]
    said = [line for line in capsys.readouterr().out.splitlines() if "reads no file" in line]
    texts = [f"{where} reads no file with {what}, so none of its hooks run" for where, what, _ in unread]
    assert said == [f"note: {text}: remove {which}." for text, (_, _, which) in zip(texts, unread, strict=True)]
    assert looked_at(repo, WRONG) == texts


def test_those_of_a_person_and_of_a_plugin_are_found(repo: Repo, home: Path) -> None:
    init(repo)
    assert main(["init", "--user", "--host", "claude", "cursor"]) == 0
    plugin = home / ".claude/plugins/cache/market/gatilho/1.0/hooks/hooks.json"
    plugin.parent.mkdir(parents=True)
    plugin.write_bytes((CHECKOUT / "plugin/hooks/hooks.json").read_bytes())
    said = looked_at(repo)
    assert "~/.claude/settings.json calls gatilho on 7 events" in said
    assert "~/.cursor/hooks.json calls gatilho on 9 events" in said
    assert "~/.claude/plugins/cache/market/gatilho/1.0/hooks/hooks.json calls gatilho on 7 events" in said
    assert any("Claude Code may start 3 processes for an event, answered once" in one for one in said)
    [wrong] = looked_at(repo, WRONG)  # no `gatilho` is on this PATH
    assert wrong.startswith(
        "the command of ~/.claude/plugins/cache/market/gatilho/1.0/hooks/hooks.json does not answer"
    )


def test_the_trust_in_a_folder_is_said_where_the_host_notes_it(repo: Repo, home: Path) -> None:
    init(repo, "--host", "claude", "gemini", "copilot", "qwen")
    assert [one for one in looked_at(repo, OK, NOTE) if " trust" in one] == []
    for folder in (".gemini", ".copilot", ".qwen"):
        (home / folder).mkdir()
    (home / ".claude.json").write_text(json.dumps({"projects": {str(repo.root): {"hasTrustDialogAccepted": True}}}))
    (home / ".gemini/trustedFolders.json").write_text(json.dumps({str(repo.root.parent): "TRUST_FOLDER"}))
    (home / ".copilot/config.json").write_text('{"trustedFolders": ["/elsewhere"]} // mine')
    (home / ".qwen/settings.json").write_text('{"security": {"folderTrust": {"enabled": true}}}')
    no = "does not trust this folder yet, and runs no hooks of it until it does"
    assert [one for one in looked_at(repo, OK, NOTE) if " trust" in one] == [
        "Claude Code trusts this folder", f"Copilot CLI {no}", "Gemini CLI trusts this folder", f"Qwen Code {no}",
    ]  # fmt: skip


def test_the_trust_of_codex_goes_by_place_as_it_notes_it_or_says(repo: Repo, home: Path, tmp_path: Path) -> None:
    repo.write(".codex/hooks.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}')
    init(repo, "--host", "codex")
    file = os.path.realpath(repo.root / ".codex/hooks.json")
    events = ("session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "session_end", "interrupt")
    keys = [*(f"{file}:{event}:0:0" for event in events), f"{file}:stop:0:0"]
    (home / ".codex").mkdir()

    def noted(*found: str) -> list[str]:
        states = "".join(f'[hooks.state."{key}"]\ntrusted_hash = "sha256:1"\n' for key in found)
        (home / ".codex/config.toml").write_text(f'[projects."{repo.root}"]\ntrust_level = "trusted"\n{states}')
        return [one for one in looked_at(repo, OK, NOTE) if one.startswith("Codex")]

    assert noted(*keys) == [
        "Codex runs 6 of the 7 hooks of .codex/hooks.json: the others await review"
    ]  # one is not ours
    keys[-1] = f"{file}:stop:1:0"
    assert noted(*keys) == ["Codex has reviewed the 7 hooks of .codex/hooks.json"]
    (home / ".codex/config.toml").write_text("")
    assert "Codex does not trust this project, and runs none of its hooks" in looked_at(repo, NOTE)


@pytest.mark.client
def test_codex_itself_says_which_hooks_it_runs(repo: Repo, home: Path, tmp_path: Path) -> None:
    client = CLIENTS["codex"]
    if client.path is None:
        pytest.skip(client.absent)
    (tmp_path / "bin/codex").symlink_to(client.path)
    (tmp_path / "bin/node").symlink_to(shutil.which("node") or "/usr/bin/node")
    (home / ".codex").mkdir()
    config = home / ".codex/config.toml"
    config.write_text(f'[projects."{repo.root}"]\ntrust_level = "trusted"\n')
    init(repo, "--host", "codex")
    said = "Codex runs {} of the 7 hooks of .codex/hooks.json: the others await review"
    assert [one for one in looked_at(repo, OK, NOTE) if one.startswith("Codex")] == [said.format(0)]

    answer = trust.codex_says({"id": 2, "method": "hooks/list", "params": {"cwds": [str(repo.root)]}}, str(repo.root))
    listed = answer["data"][0]["hooks"]
    with config.open("a") as stream:
        for one in listed:
            stream.write(f'[hooks.state."{one["key"]}"]\ntrusted_hash = "{one["currentHash"]}"\n')
    assert "Codex trusts the 7 hooks of .codex/hooks.json" in looked_at(repo, OK)
    repo.write(".codex/hooks.json", repo.read(".codex/hooks.json").replace('"timeout": 90', '"timeout": 91'))
    assert [one for one in looked_at(repo, OK, NOTE) if one.startswith("Codex")] == [said.format(6)]
