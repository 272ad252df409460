"""`holds while`: a rule whose condition fails is delivered all the same, with a word that it may be stale."""

import pytest
from builders import Repo, run_cli
from claude_session import read, turn

HEADER = (
    "| id | lifecycle | trigger | note | holds while | rides | state |\n| --- | --- | --- | --- | --- | ---: | --- |\n"
)


def _rule(*conditions: str) -> str:
    spans = " ".join(f"`{one}`" for one in conditions)
    return f"| R-1 | rule | `path: ^src/` | run make client | {spans} | 0 | rule |"


@pytest.mark.parametrize(
    ("conditions", "remark"),
    [
        pytest.param(["exists src/a.py"], "", id="holds"),
        pytest.param(["exists src/gone.py"], "possibly stale: src/gone.py is not there", id="a file is gone"),
        pytest.param(["contains src/a.py ^a"], "", id="a pattern is found"),
        pytest.param(["lacks src/a.py ^a"], "possibly stale: the pattern is at src/a.py:1", id="a pattern came"),
        pytest.param(["contains src/gone.py x"], "possibly stale: src/gone.py is not there", id="its file is gone"),
        pytest.param(["passes false"], "", id="a command is never run for it"),
    ],
)
def test_a_rule_that_may_be_stale_is_still_delivered(repo: Repo, conditions: list[str], remark: str) -> None:
    repo.write("src/a.py", "a = 1\n")
    repo.table(_rule(*conditions), header=HEADER)
    context = turn(repo, read("src/a.py")).context
    assert "run make client" in context
    assert remark in context
    assert ("possibly stale" in context) is bool(remark)
    assert repo.cell("R-1", "state") == "rule"
    assert repo.ledger() == []


def test_show_says_whether_it_holds(repo: Repo) -> None:
    repo.table(_rule("exists src/gone.py"), header=HEADER)
    shown = run_cli("show", "R-1", cwd=repo.root).stdout
    assert "Holds while" in shown
    assert "src/gone.py exists: does not hold (src/gone.py is not there)" in shown


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        pytest.param("`passes make check`", "no command is run when a row is delivered", id="a command"),
        pytest.param("exists src/a.py", "the row is never reported as stale", id="no code span"),
    ],
)
def test_what_is_never_looked_at_is_told(repo: Repo, cell: str, said: str) -> None:
    repo.table(f"| R-1 | rule | `path: ^src/` | run make client | {cell} | 0 | rule |", header=HEADER)
    checked = run_cli("check", cwd=repo.root)
    assert said in checked.stdout
