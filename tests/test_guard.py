"""The guard: what an agent may do to the tables, and what it has to leave to the owner."""

import os
import time
from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, Answer, Repo, row, run_hook
from claude_session import Session

from gatilho.document.rows import read_rows
from gatilho.ladder.guard import objections_between
from gatilho.ladder.guarded_commands import guarded_verb
from gatilho.shell.command_line import read_command

OWED = row("D-7f3k", r"path: ^src/a\.py$", "a flaky test", paid_when="exists done.txt", rides=2)
RULE = row("R-p04x", r"path: ^api/", "run `make client`", lifecycle="rule", rides=14)
TABLE = HEADER + OWED + "\n" + RULE + "\n"


@pytest.fixture
def tables(repo: Repo) -> Repo:
    repo.write(BACKLOG, TABLE)
    repo.write("docs/gatilhos/README.md", "# How it works\n")
    repo.commit()
    signature = repo.root / ".git/gatilho/signature"
    for _ in range(20):  # until the fast path may let calls pass that match no row
        run_hook(Session(repo).pre("Read", file_path=repo.path("README.md")))
        if signature.exists():
            return repo
        time.sleep(0.02)
    raise AssertionError("the index stays unsure")


def session_of(repo: Repo, mode: str = "default") -> Session:
    return Session(repo, mode=mode)


def before(repo: Repo, tool: str, mode: str = "default", **arguments: object) -> Answer:
    if "file_path" in arguments:
        arguments["file_path"] = repo.path(str(arguments["file_path"]))
    return run_hook(session_of(repo, mode).pre(tool, **arguments))


NOOP = [
    (
        "python3 <<'E'\nimport gatilho\nprint(gatilho.__version__, open('gatilho/hook.py').read())\nE",
        "code that only looks",
    ),
    ("python3 <<'E'\ndef main():\n    set()\nmain()\nset()\nE", "a main of its own"),
    ("$(which gatilho) list", "a program that was looked up, to read"),
    ("gatilho list", "reading"),
    ("gatilho show pay", "a row called pay"),
    ("gatilho add --note 'pay the bill'", "adding"),
    ("gatilho check --fix", "checking"),
    ("echo gatilho pay D-1", "speaking of it"),
    ("git commit -m 'gatilho pay D-1'", "a message about it"),
    ("grep -rn 'gatilho pay' docs", "a search for it"),
    ("python3 -m pytest gatilho", "its tests"),
    ("python3 -c 'import gatilho; print(set(gatilho.__path__))'", "a program that imports it"),
    ("script -qc 'gatilho show pay' log", "reading in a terminal of its own"),
    ("tmux new -d 'make pay'", "another program in a terminal of its own"),
    ("pay D-1", "another program"),
    ("pip install -U gatilho && uv tool install gatilho && pipx upgrade gatilho && uv add gatilho", "a newer one"),
    ("pip uninstall -y gatilho-extras requests; uv remove 'gatilho2>=1'", "another package"),
    ("pip uninstall --help gatilho; npm uninstall gatilho; rm -f gatilho.log", "help, and another kind of package"),
    ("pip show gatilho && pip install -U gatilho && pip remove other", "the package, which stays"),
    ("gh search code gatilho pay && grep -rn gatilho set", "a search for it, word by word"),
    ("mytool note 'gatilho pay D-1'", "a text for another program"),
    ("", "nothing"),
]
CHANGE = [
    ("gatilho pay D-7f3k --why done", "pay"),
    ("/home/u/.venv/bin/gatilho waive D-7f3k --until 2126-01-01 --why x", "waive"),
    ("gatilho.exe allow D-7f3k --yes", "allow"),
    ("python3 -m gatilho 'set' D-7f3k 0 --why x", "set"),
    ("python -I -S scripts/gatilho.py reinstate D-7f3k", "reinstate"),
    ("gatilho revoke D-7f3k", "revoke"),
    ("gatilho supersede D-7f3k", "supersede"),
    ("gatilho expire", "expire"),
    ("gatilho rename D-7f3k D-1", "rename"),
    ("gatilho ledger compact", "ledger"),
    ("gatilho merge-driver a docs/gatilhos/backlog.md b docs/gatilhos/backlog.md", "merge-driver"),
]
ROUNDABOUT = [
    ("script -qec 'gatilho allow D-7f3k' /dev/null", "allow", "a terminal of its own"),
    ("script -q /dev/null /usr/bin/gatilho pay D-7f3k --why x", "pay", "a terminal of its own, without a quote"),
    ("tmux send-keys 'gatilho allow D-7f3k' Enter", "allow", "typed into a terminal"),
    ("expect -c 'spawn gatilho waive D-7f3k --why x; expect y'", "waive", "a conversation"),
    ("python3 -c \"import pty; pty.spawn(['gatilho', 'allow', 'D-7f3k'])\"", "allow", "a terminal made in Python"),
    ('python3 -c \'from gatilho.cli import main; main(["set", "D-7f3k", "0"])\'', "set", "called as a function"),
    ("python3 -mgatilho pay D-7f3k", "pay", "the module without a blank"),
    ("python3 -W ignore -X dev -Im gatilho pay D-7f3k", "pay", "options with values before the module"),
    ("py -3 -m gatilho expire", "expire", "the launcher of Windows"),
    ("$(which gatilho) revoke D-7f3k", "revoke", "looked up in a substitution"),
    ("ln -s $(which gatilho) g; ./g pay D-7f3k", "pay", "another name of the program"),
    ('for v in list pay; do flock l -c "gatilho $v D-7f3k"; done', "pay", "a later round of a loop, under a lock"),
    ("vim -c '!gatilho allow D-7f3k' -c q", "allow", "a command of an editor"),
    ('python3 -c \'import gatilho.cli; gatilho.cli.main(["set", "D-7f3k"])\'', "set", "a function by its whole name"),
    ("python3 -c 'from gatilho.commands import pay; pay.main([\"D-7f3k\"])'", "pay", "the module of one command"),
    ("gatilho al''low D-7f3k", "allow", "quotes within the word"),
    ("pipx run gatilho pay D-7f3k", "pay", "run without being installed"),
    ("strace -f gatilho pay D-7f3k", "pay", "under another program"),
    ("$(which gatilho) hook < e.json", "hook", "an event for a program that was looked up"),
    ("G=$(command -v gatilho); $G hook --host claude < e.json", "hook", "an event for a variable"),
    ("pip uninstall -y requests gatilho", "removal", "the package taken out"),
    ("yes | sudo .venv/bin/pip3.12 -q uninstall 'Gatilho[lsp]>=1'", "removal", "in another spelling"),
    ("python3 -m pip --disable-pip-version-check uninstall -y gatilho", "removal", "by pip as a module"),
    ("uv pip uninstall gatilho", "removal", "by uv"),
    ("uv --quiet tool uninstall gatilho", "removal", "as a tool of uv"),
    ("pipx uninstall gatilho", "removal", "by pipx"),
    ("poetry remove -G dev gatilho", "removal", "by poetry"),
    ("cd a && pdm remove gatilho", "removal", "by pdm"),
    ("conda remove -y -n x gatilho", "removal", "by conda"),
    ("uv run pip uninstall -y gatilho", "removal", "by a pip of the environment"),
    ("echo gatilho | xargs pip uninstall -y", "removal", "fed to pip"),
    ("tmux new -d 'pip uninstall -y gatilho'", "removal", "in a terminal of its own"),
    ("python3 -c \"import subprocess as s; s.run(['pip', 'uninstall', '-y', 'gatilho'])\"", "removal", "from Python"),
    ("$(cat where) hook < e.json", "hook", "an event for a program that is not known"),
    ("`command -v gatilho` uninstall", "uninstall", "taken out by a program that was looked up"),
    ("python3 -c 'import runpy; runpy.run_module(\"gatilho\")' < e.json", "hook", "a module run by its name"),
    ("python3 <<'E'\nfrom gatilho import (\n  hook)\nhook.main([])\nE", "hook", "a program in a here-document"),
    ("python3.11 - < /dev/null <<< 'import gatilho.hook as h; h.main([])'", "hook", "a program in a here-string"),
    ("echo '__import__(\"gatilho.cli\").cli.main([])' | python3", "hook", "a program in a pipe"),
    ("python3 -c 'from gatilho.conditions.allowed import allow_command as f; f(r, t)'", "allow", "by its function"),
    ("perl <<'E'\nsystem('gatilho pay D-7f3k --why x')\nE", "pay", "a program in another language"),
    ("nsenter -t 1 gatilho pay D-7f3k", "pay", "given to a program that no one knows"),
    ("ls | entr -n /usr/bin/gatilho --root . set D-7f3k 0", "set", "given to it, with an option in front"),
    ("crontab - <<< '* * * * * gatilho pay D-7f3k'", "pay", "a time table"),
    ("less '+!gatilho pay D-7f3k' a", "pay", "a command of a pager"),
    ("socat - EXEC:'gatilho hook' < e.json", "hook", "the other end of a socket"),
    ("nix run nixpkgs#gatilho -- pay D-7f3k", "pay", "a package by its flake"),
    ('deno eval \'new Deno.Command("gatilho", {args: ["pay"]})\'', "pay", "a list under a key"),
    ("ed -s a <<< '!gatilho pay D-7f3k'", "pay", "a command of a line editor"),
    ("Rscript -e 'system(\"gatilho pay D-7f3k\")'", "pay", "a language that is not read"),
    ("claude plugin disable gatilho@gatilho", "removal", "the plugin switched off"),
]


def test_a_formatter_of_a_folder_keeps_what_a_table_says(tables: Repo) -> None:
    assert not before(tables, "Bash", command="npx prettier --write . && markdownlint --fix docs").decision
    assert before(tables, "Bash", command="npx prettier --write docs/gatilhos/*.md").decision == "ask"


@pytest.mark.parametrize(("command", "why"), NOOP, ids=[why for _, why in NOOP])
def test_these_commands_settle_nothing(command: str, why: str) -> None:
    assert guarded_verb(read_command(command).calls) == ""


@pytest.mark.parametrize(("command", "verb"), CHANGE, ids=[verb for _, verb in CHANGE])
def test_these_commands_settle(command: str, verb: str) -> None:
    assert guarded_verb(read_command(command).calls) == verb


@pytest.mark.parametrize(("command", "verb", "way"), ROUNDABOUT, ids=[way for *_, way in ROUNDABOUT])
def test_a_roundabout_way_settles_too(command: str, verb: str, way: str) -> None:
    assert guarded_verb(read_command(command).calls) == verb


@pytest.mark.parametrize(
    "command", ["& ('gati' + 'lho') pay D-7f3k", "$g = gcm gatilho; & $g pay D-7f3k", "& $(x) hook"]
)
def test_a_program_that_powershell_computes_settles_too(command: str) -> None:
    assert guarded_verb(read_command(command, "powershell").calls) in ("pay", "hook")


@pytest.mark.parametrize(
    "command",
    [
        "gatilho pay D-7f3k --why done",
        "cd src && uv run gatilho pay D-7f3k --why done",
        "FOO=1 env BAR=2 gatilho set D-7f3k 0 --why x",
        "bash -c 'gatilho revoke D-7f3k'",
        "echo y | sudo -u me gatilho allow D-7f3k",
    ],
)
@pytest.mark.parametrize(("mode", "decision"), [("default", "ask"), ("bypassPermissions", "deny")])
def test_a_settling_command_in_an_agents_shell_stops(tables: Repo, command: str, mode: str, decision: str) -> None:
    answer = before(tables, "Bash", mode, command=command)
    assert answer.decision == decision
    assert "settles rows. Only a person may run it, in their own terminal." in answer.reason


@pytest.mark.parametrize(
    "command",
    [
        "touch {state}/gatilho/allowed/0123",
        "cd {state}/gatilho && cp /tmp/x allowed/0123",
        "echo {{}} > {state}/gatilho/key",
        "rm -r {state}/gatilho",
    ],
)
def test_what_a_person_allowed_is_written_by_no_agent(tables: Repo, command: str) -> None:
    state = os.environ["XDG_STATE_HOME"]
    os.makedirs(f"{state}/gatilho/allowed", exist_ok=True)
    answer = before(tables, "Bash", command=command.format(state=state))
    assert answer.decision == "ask"
    assert "holds what a person allowed on this machine" in answer.reason
    written = session_of(tables, "default").pre("Write", file_path=f"{state}/gatilho/allowed/0123", content="{}")
    assert run_hook(written).decision == "ask"
    assert before(tables, "Bash", command=f"ls {state}/gatilho/allowed").decision == ""


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("rm -rf .venv/lib/python3.12/site-packages/gatilho", "ask"),
        ("sed -i s/x/y/ /usr/lib/python3/dist-packages/gatilho/hook.py", "ask"),
        ("echo x > .git/gatilho-id", "ask"),
        ("cat .venv/lib/python3.12/site-packages/gatilho/hook.py .git/gatilho-id", ""),
        ("sed -i s/x/y/ gatilho/hook.py", ""),
    ],
)
def test_what_is_installed_and_what_permissions_are_bound_to_are_the_owners(
    tables: Repo, command: str, decision: str
) -> None:
    assert before(tables, "Bash", command=command).decision == decision


def test_a_folder_of_the_person_may_be_unpacked_into(tables: Repo) -> None:
    state = os.environ["XDG_STATE_HOME"]
    os.makedirs(f"{state}/gatilho/allowed", exist_ok=True)
    above = os.path.dirname(state)
    assert not before(tables, "Bash", command=f"tar -C {above} -xf x.tar; cp -r x/. {above}; unzip x -d ~").decision
    assert before(tables, "Bash", command=f"tar -C {state} -xf x.tar").decision == "ask"


def test_the_package_is_taken_out_by_no_agent(tables: Repo) -> None:
    answer = before(tables, "Bash", "bypassPermissions", command="python3 -m pip uninstall -y gatilho")
    assert answer.decision == "deny"
    assert "This command would uninstall gatilho" in answer.reason


@pytest.mark.parametrize(
    "command", ["echo {{}} > ~/.claude/settings.json", "rm -r {home}/.claude", "cd; : > .claude/settings.json"]
)
def test_a_persons_own_settings_of_the_host_are_written_by_no_agent(tables: Repo, command: str) -> None:
    home = os.environ["HOME"]
    answer = before(tables, "Bash", command=command.format(home=home))
    assert (answer.decision, "Only the owner may edit it" in answer.reason) == ("ask", True)


def test_settings_of_another_host_are_the_owners_where_they_name_the_hooks(tables: Repo, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    (tmp_path / ".codex").mkdir()
    write = session_of(tables).pre("Write", file_path=str(tmp_path / ".codex/hooks.json"), content="{}")
    assert not run_hook(write, env=home).decision
    (tmp_path / ".codex/hooks.json").write_text('{"hooks": "gatilho hook"}')
    assert run_hook(write, env=home).decision == "ask"
    own = session_of(tables).pre(
        "Edit", file_path=str(tmp_path / ".claude/settings.json"), old_string="a", new_string="b"
    )
    assert run_hook(own, env=home).decision == "ask"
    assert not run_hook(
        session_of(tables).pre("Write", file_path=str(tmp_path / ".claude/x.md"), content=""), env=home
    ).decision


@pytest.mark.parametrize("command", ["git config -e", "git config --global --edit", "git config include.path ../x"])
def test_a_way_to_any_setting_of_git_is_the_owners(tables: Repo, command: str) -> None:
    assert before(tables, "Bash", command=command).decision == "ask"


def test_other_commands_pass(tables: Repo) -> None:
    for command in ("gatilho list --due", "git commit -m 'gatilho pay'", "cat docs/gatilhos/backlog.md"):
        assert before(tables, "Bash", command=command).decision == ""


FREE = [
    (lambda t: t, "nothing"),
    (lambda t: t + row("D-new1", "path: ^b$", "another debt") + "\n", "a new row"),
    (lambda t: t + row("~~D-new2~~", "path: ^b$", state="paid") + "\n", "a new row that is paid"),
    (lambda t: t.replace("a flaky test", "a test that fails now and then"), "a reworded note"),
    (lambda t: t.replace("^api/", "^app/"), "another trigger of a rule"),
    (lambda t: HEADER + RULE + "\n" + OWED + "\n", "another order"),
    (lambda t: "# Debts\n\n" + t + "\nAnd some words.\n", "words around it"),
    (lambda t: t.replace("| 2 | owed", "| 5 | owed"), "a raised count"),
    (lambda t: t.replace(" | owed |", " |   owed   |"), "other blanks"),
    (lambda t: t.replace("\n", "\r\n"), "other line endings"),
]
SETTLED = [
    (lambda t: t.replace("| D-7f3k |", "| ~~D-7f3k~~ |"), "This edit would strike D-7f3k"),
    (lambda t: t.replace("| R-p04x |", "| **~~R-p04x~~** |"), "This edit would strike R-p04x"),
    (lambda t: t.replace("| owed |", "| paid |"), "This edit would change the state of D-7f3k from `owed` to `paid`"),
    (lambda t: t.replace("| owed |", "| waived until 2126-01-01 |"), "This edit would change the state of D-7f3k"),
    (lambda t: t.replace("| rule |\n", "| revoked |\n"), "This edit would change the state of R-p04x"),
    (lambda t: t.replace("| 2 | owed", "| 0 | owed"), "This edit would lower the rides of D-7f3k from 2 to 0"),
    (lambda t: t.replace("| 2 | owed", "| two | owed"), "This edit would lower the rides of D-7f3k to no number"),
    (lambda t: t.replace("| 14 | rule", "| 1 | rule"), "This edit would lower the rides of R-p04x from 14 to 1"),
    (lambda t: t.replace(OWED + "\n", ""), "This edit would remove D-7f3k"),
    (lambda t: t.replace("D-7f3k", "D-8888"), "This edit would remove D-7f3k"),
    (lambda t: t.replace("| debt |", "| rule |"), "This edit would make D-7f3k a rule instead of a debt"),
    (
        lambda t: t.replace(r"^src/a\.py$", r"^src/zzz\.py$"),
        "This edit would change the trigger of D-7f3k, which is owed",
    ),
    (
        lambda t: t.replace(r"^src/a\.py$", r"^src/(a\.py$"),
        "This edit would change the trigger of D-7f3k, which is owed",
    ),
    (
        lambda t: t.replace("exists done.txt", "exists src"),
        "This edit would change the condition of D-7f3k, which is owed",
    ),
    (lambda t: t.replace("| paid when |", "| was |"), "This edit would change the condition of D-7f3k, which is owed"),
    (lambda t: "```\n" + t + "```\n", "This edit would remove D-7f3k"),
    (lambda t: t.replace("| rides |", "| other |"), "This edit would lower the rides of D-7f3k"),
    (lambda t: "", "This edit would remove D-7f3k"),
]


def rows_of(text: str) -> list[object]:
    return list(read_rows(text.encode(), BACKLOG)[0])


@pytest.mark.parametrize(("change", "what"), FREE, ids=[what for _, what in FREE])
def test_adding_and_rewording_is_free(change: object, what: str) -> None:
    assert objections_between(rows_of(TABLE), rows_of(change(TABLE))) == []  # type: ignore[arg-type, operator]


@pytest.mark.parametrize(("change", "objection"), SETTLED, ids=[what for _, what in SETTLED])
def test_settling_is_not(change: object, objection: str) -> None:
    found = objections_between(rows_of(TABLE), rows_of(change(TABLE)))  # type: ignore[arg-type, operator]
    assert [text for text in found if text.startswith(objection)]


def test_trigger_and_condition_of_a_debt_that_no_one_reviewed_are_free() -> None:
    for change in (r"^src/b\.py$", r"^src/a\.py$` `^b$"):
        new = rows_of(TABLE.replace(r"^src/a\.py$", change))
        assert objections_between(rows_of(TABLE), new)  # type: ignore[arg-type]
        assert objections_between(rows_of(TABLE), new, lambda row: False) == []  # type: ignore[arg-type]


def test_when_a_debt_is_asked_about_is_not_a_matter_of_words() -> None:
    header = "| id | lifecycle | trigger | note | ask after | expires |\n|---|---|---|---|---|---|\n"
    old = header + "| D-1 | debt | `a` | n | | |\n| R-1 | rule | `a` | n | | |\n"
    assert objections_between(
        rows_of(old), rows_of(old.replace("D-1 | debt | `a` | n | |", "D-1 | debt | `a` | n | 99 |"))
    )
    assert objections_between(rows_of(old), rows_of(old.replace("n | | |\n| R", "n | | 2020-01-01 |\n| R")))


def test_each_of_two_rows_with_one_id_is_compared() -> None:
    old = TABLE + OWED + "\n"
    assert objections_between(rows_of(old), rows_of(old)) == []
    assert objections_between(rows_of(old), rows_of(TABLE))
    assert objections_between(rows_of(old), rows_of(old.replace("| 2 | owed", "| 0 | owed", 1)))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Edit", {"old_string": "| D-7f3k |", "new_string": "| ~~D-7f3k~~ |"}),
        ("Write", {"content": TABLE.replace("| 2 | owed", "| 0 | owed")}),
        ("Write", {"content": ""}),
        ("MultiEdit", {"edits": [{"old_string": "flaky", "new_string": "shaky"}, {"old_string": "owed", "new_string": "paid"}]}),
        ("mcp__editor__delete_file", {}),
    ],
    ids=["strike", "lowered count", "emptied file", "state among words", "deleted file"],
)  # fmt: skip
def test_an_agents_edit_that_settles_stops(tables: Repo, tool: str, arguments: dict[str, object]) -> None:
    answer = before(tables, tool, "dontAsk", file_path=BACKLOG, **arguments)
    assert answer.decision == "deny"
    assert "D-7f3k" in answer.reason


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Edit", {"old_string": "a flaky test", "new_string": "a test that fails now and then"}),
        ("Write", {"content": TABLE + row("D-new1", "path: ^b$") + "\n"}),
    ],
    ids=["reworded", "added"],
)
def test_an_agents_edit_that_does_not_passes(tables: Repo, tool: str, arguments: dict[str, object]) -> None:
    assert before(tables, tool, "dontAsk", file_path=BACKLOG, **arguments).answer is None


def test_a_new_table_passes(tables: Repo) -> None:
    new = HEADER + row("D-new1", "path: ^b$") + "\n"
    assert before(tables, "Write", file_path="docs/gatilhos/new.md", content=new).answer is None


@pytest.mark.parametrize("name", [BACKLOG, "docs/gatilhos/new.md"])
def test_a_new_row_must_not_take_the_id_of_another(tables: Repo, name: str) -> None:
    """Two rows with one id are written no more: an owed debt would be out of the ladder."""
    text = (TABLE if name == BACKLOG else HEADER) + row("D-7f3k", "path: ^b$") + "\n"
    answer = before(tables, "Write", "dontAsk", file_path=name, content=text)
    assert answer.decision == "deny"
    assert "D-7f3k is already the id of another row: give the new row a different id." in answer.reason


@pytest.mark.parametrize(
    "name",
    [
        "docs/gatilhos/ledger/2026-01-01-00000000.md",
        "gatilho.toml",
        "scripts/gatilho.py",
        ".claude/settings.json",
        ".claude/settings.local.json",
    ],
)
def test_ledger_configuration_registration_and_dispatcher_are_the_owners(tables: Repo, name: str) -> None:
    answer = before(tables, "Write", "acceptEdits", file_path=name, content="x")
    assert answer.decision == "ask"
    assert name in answer.reason
    assert run_hook(session_of(tables).pre("Bash", command=f"echo x > {name}")).decision == "ask"
    assert run_hook(session_of(tables).pre("Read", file_path=tables.path(name))).answer is None


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("cat scripts/gatilho.py > copy.py", "ask"),
        ("cat scripts/gatilho.py | tee copy.py", "ask"),
        ("cat scripts/gatilho.py | head -5", ""),
        ("ruff check scripts/gatilho.py > found.txt", ""),
        ("ruff check scripts/gatilho.py | tee found.txt", ""),
    ],
)
def test_a_copy_of_the_dispatcher_is_printed_by_what_prints_files_and_lands_in_one(
    tables: Repo, command: str, decision: str
) -> None:
    tables.write("scripts/gatilho.py", "print()\n")
    assert before(tables, "Bash", "acceptEdits", command=command).decision == decision


@pytest.mark.parametrize(
    ("script", "decision"),
    [("from gatilho.hook import main\nmain()\n", "ask"), ("import sys\nprint(len(sys.stdin.read()))\n", "")],
    ids=["hands it to the hook", "counts it"],
)
@pytest.mark.parametrize(
    "command",
    ["python3 tools/run.py < event.json", "cd tools && cat event.json | python3 ./run.py", "tools/run.py < event.json"],
)
def test_what_a_script_that_is_fed_does_with_it_decides(tables: Repo, command: str, script: str, decision: str) -> None:
    tables.write("tools/run.py", script)
    assert before(tables, "Bash", "acceptEdits", command=command).decision == decision


@pytest.mark.parametrize(
    "name", ["docs/gatilhos/README.md", "docs/gatilhos/notes.txt", "docs/other.md", "src/gatilho.toml"]
)
def test_other_files_are_free(tables: Repo, name: str) -> None:
    assert before(tables, "Write", file_path=name, content="x").answer is None
    assert before(tables, "Bash", command=f"echo x > {name}").decision == ""


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/owed/paid/' docs/gatilhos/backlog.md",
        "cd docs && cat new > gatilhos/backlog.md",
        "rm docs/gatilhos/backlog.md",
        "rm -rf docs",
        "git rm -r docs/gatilhos",
    ],
)
def test_what_a_shell_would_make_of_a_table_cannot_be_seen(tables: Repo, command: str) -> None:
    answer = before(tables, "Bash", "dontAsk", command=command)
    assert answer.decision == "deny"
    assert "docs/gatilhos/backlog.md" in answer.reason


def test_a_table_behind_a_link_is_guarded_by_its_own_name(tables: Repo) -> None:
    (tables.root / "notes").symlink_to("docs/gatilhos")
    content = TABLE.replace("| owed |", "| paid |")
    assert before(tables, "Write", file_path="notes/backlog.md", content=content).decision == "ask"


def test_the_owners_yes_to_an_edit_is_not_asked_for_when_nothing_is_settled(tables: Repo) -> None:
    """A due debt and a settled row are one question."""
    tables.table(row("D-1", r"path: ^docs/gatilhos/", "about the tables", rides=3), file="docs/gatilhos/b.md")
    answer = before(tables, "Edit", "dontAsk", file_path=BACKLOG, old_string="| owed |", new_string="| paid |")
    assert "about the tables" in answer.reason
    assert "This edit would change the state of D-7f3k" in answer.reason


ATTRIBUTES = "*.png binary\n**/docs/gatilhos/**/*.md merge=gatilho\n*.md text\n"
MERGED_OTHERWISE = [
    ("our line taken out", ".gitattributes", "*.png binary\n"),
    ("the file emptied", ".gitattributes", ""),
    ("our line in a comment", ".gitattributes", ATTRIBUTES.replace("**/docs", "#**/docs")),
    ("union", ".gitattributes", ATTRIBUTES + "*.md merge=union\n"),
    ("another driver", ".gitattributes", ATTRIBUTES + "docs/** -text merge=ours\n"),
    ("no merge", ".gitattributes", ATTRIBUTES + "/docs/gatilhos/*.md -merge\n"),
    ("no driver", ".gitattributes", ATTRIBUTES + "*.md !merge\n"),
    ("a macro of git", ".gitattributes", ATTRIBUTES + "backlog.md binary\n"),
    ("a macro of its own", ".gitattributes", "[attr]whole merge=ours\n" + ATTRIBUTES + '"backlog.md" whole\n'),
    ("a nearer file", "docs/.gitattributes", "gatilhos/*.md merge=union\n"),
    ("the nearest file", "docs/gatilhos/.gitattributes", "* -merge\n"),
]
MERGED_AS_BEFORE = [
    ("another line", ".gitattributes", ATTRIBUTES + "*.txt merge=union\nsrc/** -merge\n*.lock binary\n"),
    ("another order", ".gitattributes", "".join(reversed(ATTRIBUTES.splitlines(keepends=True)))),
    ("our line as it was", ".gitattributes", ATTRIBUTES.replace("**/docs", "docs")),
    ("other attributes of tables", ".gitattributes", ATTRIBUTES + "docs/gatilhos/*.md eol=lf diff=markdown\n"),
    ("another folder", "src/.gitattributes", "*.md merge=union\n"),
    ("a nearer file about others", "docs/.gitattributes", "*.md text\nother/*.md merge=union\n"),
]


@pytest.mark.parametrize(
    ("name", "text", "decision"),
    [pytest.param(*given, "deny", id=why) for why, *given in MERGED_OTHERWISE]
    + [pytest.param(*given, "", id=why) for why, *given in MERGED_AS_BEFORE],
)
def test_no_agent_takes_tables_from_the_merge_driver(tables: Repo, name: str, text: str, decision: str) -> None:
    tables.write(".gitattributes", ATTRIBUTES)
    answer = before(tables, "Write", "dontAsk", file_path=name, content=text)
    assert answer.decision == decision
    assert not decision or "This write would make git merge docs/gatilhos/backlog.md otherwise" in answer.reason


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("printf '*.txt text\\n' >> .gitattributes && cat .gitattributes", ""),
        ("grep -n merge .gitattributes; git check-attr merge -- docs/gatilhos/backlog.md; git add .gitattributes", ""),
        ("printf '*.md merge=union\\n' >> .gitattributes", "deny"),
        ("sed -i /gatilho/d .gitattributes", "deny"),
        ("sed -i 3d .git*butes", "deny"),
        ("git rm -q .gitattributes", "deny"),
        ("mv .gitattributes x", "deny"),
        ("cp other .gitattributes", "deny"),
        ("ln -sf /dev/null .gitattributes", "deny"),
        ("echo '*.md -merge' > docs/.gitattributes", "deny"),
        ("git -c merge.gatilho.driver=true merge side", "deny"),
        ("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=merge.gatilho.driver GIT_CONFIG_VALUE_0=true git merge x", "deny"),
        ("git -c merge.conflictStyle=diff3 merge side", ""),
    ],
)
def test_no_shell_takes_tables_from_the_merge_driver(tables: Repo, command: str, decision: str) -> None:
    tables.write(".gitattributes", ATTRIBUTES)
    assert before(tables, "Bash", "dontAsk", command=command).decision == decision
    tables.write(".gitattributes", "*.png binary\n")  # without the driver it is a file like others
    assert before(tables, "Bash", "dontAsk", command=command).decision == (
        "deny" if "merge.gatilho." in command else ""
    )


def test_our_table_in_a_file_of_many_tools_is_the_owners(tables: Repo) -> None:
    tables.write("pyproject.toml", "[project]\nname = 'x'\n\n[tool.gatilho]\nask_after = 3\n")
    edit = {"file_path": "pyproject.toml", "old_string": "= 3"}
    answer = before(tables, "Edit", "dontAsk", **edit, new_string="= 99")
    assert answer.decision == "deny"
    assert "[tool.gatilho] in pyproject.toml" in answer.reason
    assert before(tables, "Edit", "dontAsk", **edit, new_string="=  3").decision == ""
    assert before(tables, "Edit", file_path="pyproject.toml", old_string="'x'", new_string="'y'").decision == ""
    assert before(tables, "Bash", command="sed -i s/x/y/ pyproject.toml").decision == "ask"
    assert before(tables, "Bash", command="cat > pyproject.toml <<'E'\n[tool.gatilho]\nask_after = 3\nE").decision == ""
    assert before(tables, "Bash", command="poetry add x && uv add y").decision == ""  # they leave our table as it is
    tables.write("pyproject.toml", "[project]\nname = 'x'\n")
    assert before(tables, "Bash", command="sed -i s/x/y/ pyproject.toml").decision == ""
    added = "printf '[tool.gatilho]\nask_after = 99\n' >> pyproject.toml"
    assert "[tool.gatilho] in pyproject.toml" in before(tables, "Bash", "dontAsk", command=added).reason


def test_an_edit_that_the_tool_would_refuse_cannot_be_seen(tables: Repo) -> None:
    answer = before(tables, "Edit", "dontAsk", file_path=BACKLOG, old_string="nowhere", new_string="x")
    assert answer.decision == "deny"
    assert "cannot be predicted. Use the edit tool with a text that is there once" in answer.reason


def test_the_reasons_of_a_refusal_fit_into_an_answer(tables: Repo) -> None:
    for number in range(60):
        tables.write(f"docs/gatilhos/ledger/{number:032x}.md", "x\n")
    reason = before(tables, "Bash", "dontAsk", command="rm -rf docs/gatilhos").reason
    assert len(reason) < 2500
    assert "is part of the ledger" in reason
    assert reason.endswith("more reasons of this kind)")


def test_without_tables_nothing_is_guarded(repo: Repo) -> None:
    assert before(repo, "Write", file_path=".claude/settings.json", content="{}").answer is None
    assert before(repo, "Bash", command="gatilho pay D-1").answer is None
