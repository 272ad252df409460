"""The briefing at a session's start: which sections, in which order, within one budget."""

import json
from pathlib import Path

import pytest
from builders import Repo, day, row, run_hook
from ladder_steps import NOTE, Play

HEADER = (
    "| id | lifecycle | trigger | note | rides | state | kind | key | added | expires |\n"
    "| --- | --- | --- | --- | ---: | --- | --- | --- | --- | --- |\n"
)


def line(row_id: str, note: str, trigger: str = "path: ^never$", **cells: str) -> str:
    """A row with kind, key, added, expires; a rule unless told otherwise."""
    named = {"lifecycle": "rule", "rides": "0", "state": "", "kind": "", "key": "", "added": "", "expires": "", **cells}
    values = [row_id, named.pop("lifecycle"), f"`{trigger}`", note, *named.values()]
    return "| " + " | ".join(values) + " |"


def brief(repo: Repo, *lines: str) -> str:
    repo.table(*lines, header=HEADER)
    return Play(repo).start().context


def test_a_store_without_rows_says_nothing(repo: Repo) -> None:
    repo.write("docs/gatilhos/README.md", "# Rows\n")
    assert Play(repo).start().answer is None


def test_it_says_how_many_rows_are_in_force_and_that_the_hooks_run(repo: Repo) -> None:
    text = brief(
        repo,
        line("D-1", "a debt", lifecycle="debt", rides="1"),
        line("D-2", "a due debt", lifecycle="debt", rides="3"),
        line("~~D-3~~", "paid", lifecycle="debt"),
        line("R-1", "a rule"),
        line("R-2", "revoked", state="revoked"),
    )
    first = text.split("\n")[0]
    assert first.startswith("Notes kept in docs/gatilhos: 3 rows in force (1 rule, 2 debts, 1 of them due).")
    assert "The hooks run" in first
    assert "a rule" not in text


def test_the_sections_and_their_order(repo: Repo) -> None:
    repo.table(
        line("K-1", "tabs", key="Indent"),
        line("K-2", "spaces", key="indent"),
        line("D-1", "a due debt", lifecycle="debt", rides="3"),
        line("S-1", "at every start", "start"),
        line("E-1", "a directive", kind="directive"),
        line("C-1", "a convention here", r"path: ^src/", kind="convention"),
        line("C-2", "a pitfall elsewhere", r"path: ^lib/", kind="pitfall"),
        line("T-1", "a state", kind="state", expires="2126-01-01"),
        line("T-2", "a state that is over", kind="state", expires="2020-01-01"),
        line("N-1", "a new decision", kind="decision", added=day(-30)),
        line("N-2", "an old decision", kind="decision", added=day(-31)),
        header=HEADER,
    )
    repo.write("src/a.py", "x\n")
    text = Play(repo).start().context
    order = [
        "rows in force", "Contradictions", "[K-1; ", "[K-2; ", "Due debts", "[D-1; ", "At every start:", "[E-1; ", "[S-1; ",
        "In the area of this branch:", "[C-1; ", "States:", "[T-1; ", "Recent decisions:", "[N-1; ",
    ]  # fmt: skip
    assert sorted(order, key=text.index) == order
    for absent in ("pitfall elsewhere", "that is over", "an old decision"):
        assert absent not in text


def test_rides_that_wait_on_this_machine_count_in_every_section(repo: Repo) -> None:
    repo.write("gatilho.toml", 'rule_rides = "local"\n')
    repo.table(
        line("S-1", "at every start", "start"),
        line("C-1", "a convention here", r"path: ^src/", kind="convention"),
        line("N-1", "a new decision", kind="decision", added=day(-30)),
        header=HEADER,
    )
    repo.write(".git/gatilho/rule-rides", "S-1\t\nC-1\t\nN-1\t\n")
    repo.write("src/a.py", "x\n")
    text = Play(repo).start().context
    for row_id, kind in (("S-1", ""), ("C-1", "convention, "), ("N-1", "decision, ")):
        assert f"[{row_id}; rule, {kind}1 ride;" in text


def test_equal_notes_under_one_key_are_no_contradiction(repo: Repo) -> None:
    assert "Contradictions" not in brief(repo, line("K-1", "tabs", key="Indent"), line("K-2", "tabs", key="Indent"))
    assert "Contradictions" not in brief(
        repo, line("K-1", "tabs", key="Indent"), line("K-2", "no", key="Indent", state="revoked")
    )


@pytest.mark.parametrize("where", ["changed", "new", "committed on the branch", "untouched"])
def test_the_area_is_what_the_branch_and_the_tree_changed(repo: Repo, where: str) -> None:
    repo.table(line("C-1", "mind the client", r"path: ^api/", kind="pitfall"), header=HEADER)
    repo.write("api/schema.py", "x\n")
    repo.commit()
    repo.git("switch", "--quiet", "-c", "topic")
    if where == "changed":
        repo.write("api/schema.py", "y\n")
    elif where == "new":
        repo.write("api/new.py", "y\n")
    elif where == "committed on the branch":
        repo.write("api/schema.py", "y\n")
        repo.commit()
    assert ("mind the client" in Play(repo).start().context) is (where != "untouched")


def test_start_rows_are_said_and_not_again_until_a_compaction(repo: Repo) -> None:
    repo.table(line("S-1", NOTE, "start", kind="convention"), header=HEADER)
    play = Play(repo)
    assert NOTE in play.start().context
    assert NOTE in play.start("compact").context


def test_a_row_of_a_path_that_was_in_the_briefing_is_said_at_its_touch(repo: Repo) -> None:
    repo.table(line("E-1", NOTE, "path: ^a$", kind="directive"), header=HEADER)
    play = Play(repo)
    assert NOTE in play.start().context
    assert NOTE in play.read("a").context


def test_after_a_compaction_it_is_short_and_the_person_reads_nothing(repo: Repo) -> None:
    repo.table(
        line("D-1", "a due debt", lifecycle="debt", rides="3"),
        line("S-1", "at every start", "start"),
        line("T-1", "a state", kind="state", expires="2126-01-01"),
        header=HEADER,
    )
    play = Play(repo)
    assert "D-1 is due after 3 rides: a due debt" in play.start().person
    answer = play.start("compact")
    assert "a due debt" in answer.context
    assert "at every start" in answer.context
    assert "a state" not in answer.context
    assert answer.person == ""


def test_at_most_five_due_debts_are_told_to_the_person(repo: Repo) -> None:
    repo.table(*[row(f"D-{number}", "path: ^a$", f"note {number}", rides=number + 3) for number in range(8)])
    lines = Play(repo).start().person.split("\n")
    assert len(lines) == 6
    assert "D-7 is due after 10 rides: note 7" in lines[0]
    assert "3 more debts are due: gatilho list --due" in lines[5]


@pytest.mark.parametrize("budget", [2000, 600])
def test_it_stays_within_its_budget_and_counts_the_rest(repo: Repo, budget: int) -> None:
    repo.write("gatilho.toml", f"briefing = {budget}\n")
    lines = [line(f"E-{number:02}", f"directive {number} " + "x" * 150, kind="directive") for number in range(30)]
    text = brief(repo, *lines)
    assert budget / 2 < len(text) <= budget
    shown = text.count("\n- ")
    assert text.endswith(f"({30 - shown} more: gatilho list)")


def test_what_is_shown_is_shown_once(repo: Repo) -> None:
    text = brief(repo, line("S-1", "only once", "start", kind="directive", key="k"), line("S-2", "other", key="k"))
    assert text.count("[S-1; ") == 1


CONDITION_HEADER = (
    "| id | lifecycle | trigger | note | paid when | rides | state |\n| --- | --- | --- | --- | --- | ---: | --- |\n"
)


def test_a_debt_that_is_paid_by_the_files_is_struck_and_not_said(repo: Repo) -> None:
    repo.write("src/a.py", "old\n")
    repo.table(
        row("D-1", "path: ^src/a", "a.py uses the old client", rides=4, paid_when="contains src/a.py new"),
        row("D-2", "path: ^src/a", "a.py has no test", rides=3, paid_when="exists tests/test_a.py"),
        header=CONDITION_HEADER,
    )
    repo.write("src/a.py", "new\n")
    repo.commit()
    answer = Play(repo).start()
    assert "old client" not in answer.context + answer.person
    assert "1 row in force (1 debt, 1 of them due)" in answer.context
    assert "D-2 is due after 3 rides" in answer.person
    assert repo.cell("D-1", "state") == "paid"
    assert [entry["id"] for entry in repo.ledger("paid")] == ["D-1"]


def test_equal_notes_are_said_once_in_a_briefing_with_all_ids(repo: Repo) -> None:
    text = brief(repo, line("E-1", "same", kind="directive"), line("E-2", "same", kind="directive"))
    assert text.count("- same ") == 1
    assert "[E-1; " in text
    assert "[E-2; " in text


def test_more_rows_than_fit_are_counted_and_not_read(repo: Repo) -> None:
    text = brief(repo, *[line(f"T-{n:03}", f"state {n}", kind="state", expires="2126-01-01") for n in range(300)])
    shown = text.count("\n- ")
    assert text.endswith(f"({300 - shown} more: gatilho list)")


def test_waived_debts_are_due_when_the_waiver_is_over(repo: Repo) -> None:
    text = brief(
        repo,
        line("D-1", "waived still", lifecycle="debt", rides="5", state="waived until 2126-01-01"),
        line("D-2", "waiver is over", lifecycle="debt", rides="4", state="waived until 2020-01-01"),
    )
    assert "waived still" not in text
    assert "waiver is over" in text


MUTE_AT_THE_START = """
[hosts.robo]
event = "kind"
session = "session"
cwd = "cwd"
prompt = "text"
carries = ["prompt"]
[hosts.robo.events]
begin = "session start"
said = "prompt"
"""


def test_a_host_without_text_at_the_start_gets_the_briefing_with_the_first_prompt(repo: Repo) -> None:
    repo.table(line("E-1", NOTE, kind="directive"), header=HEADER)
    repo.write("gatilho.toml", MUTE_AT_THE_START)
    events = [
        {"kind": kind, "session": "s-1", "cwd": str(repo.root), "text": text}
        for kind, text in (("begin", ""), ("said", "go on"), ("said", "more"))
    ]
    answers = [run_hook(event, host="robo", cwd=repo.root).answer for event in events]
    assert [NOTE in json.dumps(answer) for answer in answers] == [False, True, False]


def test_a_row_of_another_store_says_which(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "gatilho").mkdir()
    (tmp_path / "gatilho" / "mine.md").write_text(HEADER + line("P-1", "my own way", kind="directive") + "\n")
    text = brief(repo, line("E-1", "everyone's way", kind="directive"))
    assert "[P-1; rule, directive, 0 rides; personal store; " in text
    assert "[E-1; rule, directive, 0 rides; docs/gatilhos/" in text
