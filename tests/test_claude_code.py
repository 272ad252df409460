"""The ladder on the real Claude Code: a scripted model makes the tool calls, the client runs the installed hooks."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import claude_client
import pytest
import stub_model
from builders import Repo, row, run_cli
from claude_client import ClaudeCode, Reply
from stub_model import StubModel, call, say, together

from gatilho.ledger.lines import session_hash

pytestmark = pytest.mark.client

ANCHOR = "tests/test_retry.py"
NOTE = "The retry test is flaky until it uses the frozen_clock fixture."
FLAKY = "def test_retry():\n    assert retry() == 1\n"
WORK = {"old_string": "== 1", "new_string": "== 2"}
SHELL_WORK = call("Bash", command=f"sed -i 's/== ./== 4/' {ANCHOR}", description="edit the test")
PAYMENT = {"old_string": "def test_retry():", "new_string": "def test_retry(frozen_clock):"}


@pytest.fixture(scope="module")
def model() -> Iterator[StubModel]:
    with stub_model.serve() as served:
        yield served


@pytest.fixture
def claude(repo: Repo, tmp_path: Path, model: StubModel) -> ClaudeCode:
    """The client in a repository that has the hooks, a debt at its anchor, and everything committed."""
    program = claude_client.find()
    if program is None:
        pytest.skip(claude_client.ABSENT)
    installed = run_cli("init", "--host", "claude", cwd=repo.root)
    assert installed.status == 0, installed.stdout + installed.stderr
    repo.write(ANCHOR, FLAKY)
    owe(repo, rides=0)
    return ClaudeCode(program, repo.root, tmp_path / "claude-home", model)


def owe(repo: Repo, rides: int) -> None:
    """Make the debt D-7f3k the only row of the table."""
    condition = rf"contains {ANCHOR} \bfrozen_clock\b"
    repo.table(row("D-7f3k", r"path: ^tests/test_retry\.py$", NOTE, paid_when=condition, rides=rides))


def read_anchor(repo: Repo) -> list[dict[str, object]]:
    return call("Read", file_path=repo.path(ANCHOR))


def edit_anchor(repo: Repo, change: dict[str, str]) -> list[dict[str, object]]:
    return call("Edit", file_path=repo.path(ANCHOR), **change)


def work_on_anchor(claude: ClaudeCode, repo: Repo, change: dict[str, str], resume: str = "") -> Reply:
    """One turn that reads the anchor and edits it."""
    reply = claude.run("go on", read_anchor(repo), edit_anchor(repo, change), say("done"), resume=resume)
    assert [run for run in reply.hooks if run.status or run.stderr] == []
    return reply


def test_the_note_is_said_once_in_a_session_and_again_after_a_compaction(
    claude: ClaudeCode, repo: Repo, model: StubModel
) -> None:
    """A turn that only read adds no ride."""
    reply = claude.run("look", read_anchor(repo), read_anchor(repo), say("done"))
    before, after, last = model.turns
    assert NOTE not in before.text
    assert NOTE in after.news
    assert "D-7f3k" in after.news
    assert "docs/gatilhos/backlog.md:3" in after.news
    assert last.text.count(NOTE) == 1
    assert {run.name for run in reply.hooks} >= {"SessionStart:startup", "PostToolUse:Read", "Stop"}
    assert repo.changed() == []

    claude.run("/compact", say("a summary"), resume=reply.session_id)
    claude.run("look again", read_anchor(repo), say("done"), resume=reply.session_id)
    assert NOTE in model.turns[-1].news
    assert repo.rides("D-7f3k") == 0
    assert repo.ledger() == []


def test_a_subagent_and_its_parent_are_both_told_and_parallel_touches_say_the_note_once(
    claude: ClaudeCode, repo: Repo, model: StubModel
) -> None:
    delegate = call("Agent", description="look", prompt="look at the test", subagent_type="general-purpose")
    shell = call("Bash", command=f"cat {ANCHOR}", description="look")
    at_once = together(read_anchor(repo), read_anchor(repo), shell)
    claude.run("look", delegate, read_anchor(repo), say("seen"), at_once, say("done"))

    subagent, parent = model.turns[2], model.turns[-1]
    assert subagent.text.count(NOTE) == 1
    assert parent.text.count(NOTE) == 1


def test_each_session_that_writes_the_anchor_adds_one_ride_and_may_pay(
    claude: ClaudeCode, repo: Repo, model: StubModel
) -> None:
    session = work_on_anchor(claude, repo, WORK).session_id
    assert repo.rides("D-7f3k") == 1
    assert repo.git("diff", "--numstat", "docs/gatilhos/backlog.md").split()[:2] == ["1", "1"]
    assert [(line["rides"], line["evidence"]) for line in repo.ledger("charged")] == [("1", ANCHOR)]

    work_on_anchor(claude, repo, {"old_string": "== 2", "new_string": "== 3"}, resume=session)
    assert model.turns[-1].text.count(NOTE) == 1
    assert repo.rides("D-7f3k") == 1

    other = claude.run("go on", read_anchor(repo), SHELL_WORK, say("done")).session_id
    assert repo.read(ANCHOR) == FLAKY.replace("== 1", "== 4")
    assert repo.rides("D-7f3k") == 2
    charged = {line["session"] for line in repo.ledger("charged")}
    assert charged == {session_hash(session), session_hash(other)}

    work_on_anchor(claude, repo, PAYMENT, resume=other)
    assert_paid(repo, rides=2)
    assert repo.ledger("paid")[0]["session"] == session_hash(other)


def test_at_three_rides_a_write_is_stopped_until_the_owner_lets_it_pass(
    claude: ClaudeCode, repo: Repo, model: StubModel
) -> None:
    owe(repo, rides=3)
    reply = claude.run("go on", read_anchor(repo), edit_anchor(repo, WORK), SHELL_WORK, say("done"))

    assert repo.read(ANCHOR) == FLAKY
    assert [denial["tool_name"] for denial in reply.denied] == ["Edit", "Bash"]
    for request in model.turns[2:]:
        (result,) = request.results
        assert result["is_error"]
        assert NOTE in result["content"]
        assert "D-7f3k" in result["content"]
    assert "D-7f3k" in reply.person
    assert repo.rides("D-7f3k") == 3
    assert {(line["id"], line["rides"]) for line in repo.ledger("asked")} == {("D-7f3k", "3")}

    claude.run("ok D-7f3k", read_anchor(repo), edit_anchor(repo, WORK), say("done"), resume=reply.session_id)
    assert "== 2" in repo.read(ANCHOR)
    assert [line["id"] for line in repo.ledger("allowed")] == ["D-7f3k"]
    assert repo.rides("D-7f3k") == 4


def test_the_edit_that_pays_is_never_stopped(claude: ClaudeCode, repo: Repo, model: StubModel) -> None:
    owe(repo, rides=3)
    reply = work_on_anchor(claude, repo, PAYMENT)

    assert "frozen_clock" in repo.read(ANCHOR)
    assert reply.denied == []
    assert_paid(repo, rides=3)
    assert repo.ledger("asked") == []


def test_a_debt_that_was_paid_meanwhile_is_struck_and_not_spoken(
    claude: ClaudeCode, repo: Repo, model: StubModel
) -> None:
    repo.write(ANCHOR, FLAKY.replace("()", "(frozen_clock)", 1))
    repo.commit("Use the frozen clock")
    claude.run("look", read_anchor(repo), say("done"))

    assert NOTE not in model.turns[-1].text
    assert_paid(repo, rides=0)


def test_tools_that_touch_nothing_start_no_hook(claude: ClaudeCode, repo: Repo) -> None:
    """40 calls: 20 reads, 8 edits, 6 commands, 6 that touch no file."""
    repo.write("src/a.py", "x = 0\n")
    steps = [call("Read", file_path=repo.path("src/a.py")) for _ in range(20)]
    steps += [
        call("Edit", file_path=repo.path("src/a.py"), old_string=f"x = {n}", new_string=f"x = {n + 1}")
        for n in range(8)
    ]
    steps += [call("Bash", command="true", description="nothing")] * 6
    steps += [call("TaskList")] * 6
    reply = claude.run("work", *steps, say("done"))

    assert repo.read("src/a.py") == "x = 8\n"
    assert reply.denied == []
    assert Counter(run.name for run in reply.hooks if ":" in run.name and "Session" not in run.name) == {
        "PostToolUse:Read": 20,
        "PreToolUse:Edit": 8,
        "PostToolUse:Edit": 8,
        "PreToolUse:Bash": 6,
        "PostToolUse:Bash": 6,
    }


def assert_paid(repo: Repo, rides: int) -> None:
    """The debt is struck, its count is kept, and the ledger says what made its condition hold and where."""
    assert repo.cell("D-7f3k", "id") == "~~D-7f3k~~"
    assert repo.cell("D-7f3k", "state") == "paid"
    assert repo.rides("D-7f3k") == rides
    (payment,) = repo.ledger("paid")
    assert payment["id"] == "D-7f3k"
    assert f"{ANCHOR}:1" in payment["evidence"]
    assert payment["commit"]
    assert repo.git("rev-parse", "HEAD").startswith(payment["commit"])
    assert payment["by"].startswith("program")
