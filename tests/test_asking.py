"""Asking where nobody can answer: the table of hosts and modes, and what each host is really answered."""

import pytest
from builders import BACKLOG, Repo, row, run_cli, run_hook
from claude_session import Session, edit, turn

from gatilho import hosts
from gatilho.hosts import A_PERSON_DECIDES, catalog, host_named
from gatilho.hosts.event import BEFORE, Event

D1 = row("D-1", r"path: ^src/a\.py$", "first note", rides=3, paid_when="exists done.txt")


def test_every_line_has_a_known_fate() -> None:
    fates = {fate for host in catalog.hosts() for fate in host.asks.values()}
    assert fates <= {
        A_PERSON_DECIDES, hosts.REFUSED, hosts.APPROVED, hosts.IGNORES_ASK, hosts.HANGS, hosts.IMPOSSIBLE, hosts.UNSURE,
    }  # fmt: skip


@pytest.mark.parametrize("mode", ["", "default", "bypassPermissions", "yolo", "a mode of next year"])
@pytest.mark.parametrize("name", catalog.host_names())
def test_an_ask_goes_out_only_where_the_record_says_so(name: str, mode: str) -> None:
    host = host_named(name)
    listed = host.asks.get(mode, host.asks.get(hosts.ANY, "")) == A_PERSON_DECIDES
    assert host.can_ask(Event(name, BEFORE, host.event_of(BEFORE), mode=mode)) is listed


@pytest.mark.parametrize(
    ("host", "name", "mode", "asks"),
    [
        ("claude", "PreToolUse", "default", True),
        ("claude", "PreToolUse", "acceptEdits", True),
        ("claude", "PreToolUse", "bypassPermissions", False),
        ("claude", "PreToolUse", "dontAsk", False),
        ("claude", "PreToolUse", "auto", False),
        ("codex", "PreToolUse", "default", False),
        ("gemini", "BeforeTool", "", False),
        ("cursor", "preToolUse", "", False),
        ("cursor", "beforeShellExecution", "", True),
    ],
)
def test_the_hosts_ask_the_table(host: str, name: str, mode: str, asks: bool) -> None:
    assert host_named(host).can_ask(Event(host, BEFORE, name, mode=mode)) is asks


@pytest.fixture
def due(repo: Repo) -> Repo:
    """A repository with a debt that is due."""
    repo.write("src/a.py", "a = 1\n")
    repo.table(D1)
    return repo


@pytest.mark.parametrize(
    ("mode", "decision"), [("default", "ask"), ("plan", "ask"), ("dontAsk", "deny"), ("bypassPermissions", "deny"), ("auto", "deny")]
)  # fmt: skip
def test_ask_or_deny_by_mode(due: Repo, mode: str, decision: str) -> None:
    session = Session(due, mode=mode)
    done = turn(due, edit("src/a.py", "a = 1", "a = 2"), session=session)
    assert [answer.decision for answer in done.answers if answer.decision] == [decision]
    assert "an edit that makes the condition hold is never stopped" in done.reason
    assert "type `ok D-1` on its own line to allow writes in this session" in done.reason
    assert due.read("src/a.py") == "a = 1\n"
    assert [line["event"] for line in due.ledger()] == ["asked"]


def test_a_denied_owner_answers_in_the_prompt(due: Repo) -> None:
    session = Session(due, mode="dontAsk")
    turn(due, edit("src/a.py", "a = 1", "a = 2"), session=session)
    done = turn(due, edit("src/a.py", "a = 1", "a = 2"), session=session, text="ok D-1")
    assert done.stopped == []
    assert "allowed" in [line["event"] for line in due.ledger()]


class TestUnattended:
    def test_warn_lets_it_pass_on_the_record(self, due: Repo) -> None:
        due.write("gatilho.toml", 'unattended = "warn"\n')
        done = turn(due, edit("src/a.py", "a = 1", "a = 2"), session=Session(due, mode="dontAsk"))
        assert done.stopped == []
        assert "first note" in done.context
        assert sorted(line["event"] for line in due.ledger()) == ["charged", "passed anyway"]
        assert due.rides("D-1") == 4

    def test_warn_still_asks_where_a_person_decides(self, due: Repo) -> None:
        due.write("gatilho.toml", 'unattended = "warn"\n')
        done = turn(due, edit("src/a.py", "a = 1", "a = 2"), session=Session(due, mode="default"))
        assert [answer.decision for answer in done.answers if answer.decision] == ["ask"]

    def test_record_denies_and_lets_the_agent_waive(self, due: Repo) -> None:
        due.write("gatilho.toml", 'unattended = "record"\n')
        session = Session(due, mode="dontAsk")
        first = turn(due, edit("src/a.py", "a = 1", "a = 2"), session=session)
        assert len(first.stopped) == 1
        assert "`gatilho waive D-1 --until YYYY-MM-DD --why TEXT` allows writes" in first.reason
        words = ("waive", "D-1", "--until", "2099-01-01", "--why", "nobody is here")
        assert run_hook(session.pre("Bash", command="gatilho " + " ".join(words[:-1]) + " 'nobody'")).decision == ""
        assert run_cli(*words, cwd=due.root, env={"CLAUDECODE": "1"}).status == 0
        second = turn(due, edit("src/a.py", "a = 1", "a = 2"), session=session)
        assert second.stopped == []
        assert "agent claude" in [line["by"] for line in due.ledger("waived")]
        assert due.rides("D-1") == 4  # a waiver silences the ask, not the ride

    def test_record_leaves_nothing_else_to_the_agent(self, due: Repo) -> None:
        due.write("gatilho.toml", 'unattended = "record"\n')
        session = Session(due, mode="dontAsk")
        run_hook(session.prompt())
        answer = run_hook(session.pre("Bash", command="gatilho pay D-1 --why done"))
        assert answer.decision == "deny"
        assert "Agent: make the edit that pays, or ask the owner." in answer.reason


@pytest.mark.parametrize(
    "verb", ["pay", "waive", "allow", "set", "reinstate", "revoke", "supersede", "expire", "rename"]
)
@pytest.mark.parametrize("how", ["gatilho {}", "python3 -m gatilho {}", "/opt/bin/gatilho {}", "X=1 gatilho {}"])
def test_commands_that_settle_rows_are_guarded(due: Repo, verb: str, how: str) -> None:
    session = Session(due, mode="dontAsk")
    answer = run_hook(session.pre("Bash", command=how.format(verb) + " D-1 --why w"))
    assert answer.decision == "deny", answer
    assert f"`gatilho {verb}` settles rows" in answer.reason


def test_settle_is_not_guarded(due: Repo) -> None:
    session = Session(due, mode="dontAsk")
    assert run_hook(session.pre("Bash", command="gatilho settle")).decision == ""


@pytest.mark.parametrize(
    ("state", "decision"),
    [
        pytest.param("waived until 2099-01-01", "", id="until a day ahead"),
        pytest.param("waived until 2020-01-01", "deny", id="until a day that is past"),
        pytest.param("waived 2020-01-01", "", id="for good"),
    ],
)
def test_a_waiver_silences_the_ask_and_nothing_else(repo: Repo, state: str, decision: str) -> None:
    repo.write("src/a.py", "a = 1\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", "first note", rides=3, state=state))
    done = turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=Session(repo, mode="dontAsk"))
    assert [answer.decision for answer in done.answers if answer.decision] == ([decision] if decision else [])
    if not decision:
        assert "first note" in done.context
        assert repo.rides("D-1") == 4
    assert repo.cell("D-1", "state", BACKLOG) == state
