"""The ladder on the real clients besides Claude Code: a scripted model makes the calls, each client runs its hooks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import stub_model
from builders import BACKLOG, Repo, row, run_cli
from coding_agents import CLIENTS, Agent
from stub_model import StubModel, say, together

pytestmark = pytest.mark.client

ANCHOR = "tests/test_retry.py"
NOTE = "The retry test is flaky."
FLAKY = "def test_retry():\n    assert retry() == 1\n"
PAID = FLAKY.replace("()", "(frozen_clock)", 1)
FIRST, FIRST_PAID = "def test_retry():", "def test_retry(frozen_clock):"
WORK = ("    assert retry() == 1", "    assert retry() == 2")
SHELL_WORK = f"sed -i 's/== 1/== 4/' {ANCHOR}"
PAY = f"sed -i 's/test_retry()/test_retry(frozen_clock)/' {ANCHOR}"


@pytest.fixture(scope="module")
def model() -> Iterator[StubModel]:
    with stub_model.serve() as served:
        yield served


@pytest.fixture(params=sorted(CLIENTS))
def agent(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path, model: StubModel) -> Agent:
    """A client in a repository with a debt at its anchor and everything committed; nothing is registered yet."""
    client = CLIENTS[request.param]
    if client.path is None:
        pytest.skip(client.absent)
    owe(repo)
    return Agent(client, repo.root, tmp_path / "home-of-agent", model)


def owe(repo: Repo) -> None:
    """Make the debt D-7f3k the only row of the table."""
    repo.write(ANCHOR, FLAKY)
    condition = rf"contains {ANCHOR} \bfrozen_clock\b"
    repo.table(row("D-7f3k", r"path: ^tests/test_retry\.py$", NOTE, paid_when=condition))


def register(agent: Agent, repo: Repo, *options: str) -> None:
    """Register as a person does, and commit what that wrote."""
    done = run_cli("init", "--host", agent.client.host, *options, cwd=repo.root, env={"HOME": str(agent.home)})
    assert done.status == 0, done.stdout + done.stderr
    repo.commit("Register")


def test_a_debt_is_told_charged_paid_found_unpaid_and_guarded(agent: Agent, repo: Repo, model: StubModel) -> None:
    """Three sessions' worth in three starts, for a start is what costs: each turn begins where the last one ended."""
    register(agent, repo)
    client, path = agent.client, repo.path(ANCHOR)
    read = client.read(path)
    told_once_and_charged(agent, repo, model)

    agent.run(read, client.shell(PAY), say("done"), resume=True)
    assert FIRST_PAID in repo.read(ANCHOR)
    assert repo.cell("D-7f3k", "id") == "~~D-7f3k~~"
    (charge,) = repo.ledger("charged")
    (payment,) = repo.ledger("paid")
    assert charge["session"] == payment["session"]

    repo.write(BACKLOG, repo.read(BACKLOG).replace("| 1 | paid |", "| 3 | paid |"))
    repo.commit("Pay")
    repo.write(ANCHOR, FLAKY)
    agent.run(
        read, client.edit(path, *WORK), client.shell(SHELL_WORK), client.edit(path, FIRST, FIRST_PAID), say("done")
    )
    assert len(repo.ledger("regressed")) == 1
    assert all("D-7f3k" in request.news for request in model.turns[2:4])
    assert repo.read(ANCHOR) == PAID
    assert repo.cell("D-7f3k", "id") == "~~D-7f3k~~"
    assert {line["id"] for line in repo.ledger("asked")} == {"D-7f3k"}


def told_once_and_charged(agent: Agent, repo: Repo, model: StubModel) -> None:
    """A subagent that reads, two reads at once and a third, and a write that does not pay."""
    client, read = agent.client, agent.client.read(repo.path(ANCHOR))
    edit = client.edit(repo.path(ANCHOR), *WORK)
    agent.run(*client.delegate, together(read, read), read, edit, say("done"), inside=(read, client.report))
    first, last = model.turns[0], model.turns[-1]
    assert NOTE not in first.text
    assert "1 row in force" in json.dumps(first.body)
    inside = [request for request in model.turns if client.inside in request.text and NOTE in request.text]
    assert inside[-1].text.count(NOTE) == 1
    assert last.text.count(NOTE) == 1
    assert WORK[1] in repo.read(ANCHOR)
    assert repo.rides("D-7f3k") == 1
    assert [line["evidence"] for line in repo.ledger("charged")] == [ANCHOR]


def test_a_note_is_said_again_after_a_compaction(agent: Agent, repo: Repo, model: StubModel) -> None:
    """The client is told once that the conversation is so long that it has to be compacted."""
    if agent.client.no_compaction:
        pytest.skip(agent.client.no_compaction)
    register(agent, repo)
    read = agent.client.read(repo.path(ANCHOR))
    agent.run(read, read, say("done"), tokens=(95_000, 10))
    assert sum(NOTE in request.news for request in model.requests) == 2 + agent.client.repeats


# Every client is started in a subfolder of a work tree by all its registrations at once, in the tests of the plugin. Here
# each stands alone where nothing else could speak.
@pytest.mark.parametrize("agent", ["gemini"], indirect=True)
def test_a_session_in_a_subfolder_is_told_by_the_persons_registration(
    agent: Agent, repo: Repo, model: StubModel
) -> None:
    register(agent, repo, "--user")
    agent.run(agent.client.read(repo.path(ANCHOR)), say("done"), folder="tests")
    assert model.turns[-1].text.count(NOTE) == 1


@pytest.mark.parametrize("agent", ["codex"], indirect=True)
def test_a_work_tree_has_its_own_table(agent: Agent, repo: Repo, model: StubModel, tmp_path: Path) -> None:
    register(agent, repo)
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
    tree = Repo(tmp_path / "tree")
    agent.root = tree.root
    agent.run(agent.client.read(tree.path(ANCHOR)), agent.client.edit(tree.path(ANCHOR), *WORK), say("done"))
    assert model.turns[-1].text.count(NOTE) == 1
    assert (tree.rides("D-7f3k"), repo.rides("D-7f3k")) == (1, 0)
