"""Tables through the whole hook: which rows speak, and that a ride changes one cell and no other byte."""

import re

import pytest
from builders import BACKLOG, Answer, Repo, run_hook
from claude_session import Session

TITLE = "| id | lifecycle | trigger | note | rides | state |\n"
HEAD = TITLE + "|---|---|---|---|---|---|\n"
SPAN = r"`path: ^src/a\.py$`"


def line(row_id: str, rides: str = "0", trigger: str = SPAN, note: str = "a note") -> str:
    return f"| {row_id} | debt | {trigger} | {note} | {rides} | owed |\n"


@pytest.fixture
def repo(repo: Repo) -> Repo:
    repo.write("src/a.py", "x\n")
    repo.write(".gitattributes", "* -text\n")
    return repo


def speak(repo: Repo, table: str | bytes, name: str = "src/a.py", command: str = "") -> Answer:
    """After a touch, in a new session whose turn then closes, with this table committed."""
    repo.write(BACKLOG, table)
    repo.commit()
    session = Session(repo)
    event = session.post("Bash", command=command) if command else session.post("Edit", file_path=repo.path(name))
    answer = run_hook(event)
    run_hook(session.stop())
    return answer


def ids(answer: Answer) -> list[str]:
    return sorted(re.findall(r"\[([^\s;]+); (?:debt|rule)", answer.context))


def told(repo: Repo) -> str:
    """What the person is told at the start of a session."""
    return run_hook(Session(repo).session_start()).person


ONE_CELL = {
    "plain": (HEAD + line("D-1", "1"), "| 1 |", "| 2 |"),
    "an empty cell counts as nothing": (HEAD + line("D-1", ""), "|  |", "| 1 |"),
    "a padded number": (HEAD + line("D-1", "    9"), "|     9 |", "|    10 |"),
    "a number padded behind": (HEAD + line("D-1", "9    "), "| 9     |", "| 10    |"),
    "a number without room": (HEAD + line("D-1", "99"), "| 99 |", "| 100 |"),
    "no room at all": (HEAD + line("D-1").replace("| 0 |", "|9|"), "|9|", "|10|"),
    "leading noughts": (HEAD + line("D-1", "007"), "007", "8"),
    "more digits than a machine word": (HEAD + line("D-1", "9" * 30), "9" * 30, "1" + "0" * 30),
    "wide letters before it": (HEAD + line("D-1", "1", note="日本 😀 é"), "| 1 |", "| 2 |"),
    "a mark at the beginning": ("\ufeff" + HEAD + line("D-1", "1"), "| 1 |", "| 2 |"),
    "no end of line": (HEAD + line("D-1", "1").rstrip("\n"), "| 1 |", "| 2 |"),
    "blanks behind": (HEAD + line("D-1", "1").replace(" |\n", " |  \t\n"), "| 1 |", "| 2 |"),
    "lines of Windows": ((HEAD + line("D-1", "1")).replace("\n", "\r\n"), "| 1 |", "| 2 |"),
    "lines of both kinds": (HEAD.replace("\n", "\r\n") + line("D-1", "1"), "| 1 |", "| 2 |"),
    "lines of old": ((HEAD + line("D-1", "1")).replace("\n", "\r"), "| 1 |", "| 2 |"),
    "no outer pipes": (
        "id | lifecycle | trigger | note | rides\n---|---|---|---|---\nD-1 | debt | " + SPAN + " | a note | 1\n",
        "a note | 1", "a note | 2",
    ),
    "other columns, in another order": (
        "| rides | owner | NOTE | Id | **trigger** | lifecycle |\n|--:|:-:|:--|--|--|--|\n| 1 | me | a | D-1 | "
        + SPAN + " | debt |\n",
        "| 1 |", "| 2 |",
    ),
    "Portuguese": (
        "| id | ciclo | gatilho | frase | caronas | estado |\n|--|--|--|--|--|--|\n| D-1 | dívida | " + SPAN
        + " | uma nota | 1 | devida |\n",
        "| 1 |", "| 2 |",
    ),
    "cells too many": (HEAD + line("D-1", "1").replace("owed |", "owed | stray |"), "| 1 |", "| 2 |"),
    "a border behind a backslash": (HEAD + line("D-1", "1", note="a \\| b"), "| 1 |", "| 2 |"),
    "prose, another table and a heading around": (
        "# Debts\n\ntext\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n" + HEAD + line("D-1", "1") + "\ntext | with a pipe\n",
        "note | 1 |", "note | 2 |",
    ),
    "tildes that strike nothing": (HEAD + line("D-1", "1", note="~/x to ~/y, ~50% ~~not~~"), "| 1 |", "| 2 |"),
    "bold around the id": (HEAD + line("**D-1**", "1"), "| 1 |", "| 2 |"),
}  # fmt: skip


@pytest.mark.parametrize(("table", "old", "new"), ONE_CELL.values(), ids=ONE_CELL.keys())
def test_a_ride_changes_its_cell_and_nothing_else(repo: Repo, table: str, old: str, new: str) -> None:
    assert table.count(old) == 1
    assert ids(speak(repo, table)) == ["D-1"]
    assert repo.read(BACKLOG) == table.replace(old, new)


SPEAKS_UNCOUNTED = {
    "no rides cell": HEAD + "| D-1 | debt | " + SPAN + " | a note |\n",
    "a superscript": HEAD + line("D-1", "²"),
    "digits of another script": HEAD + line("D-1", "٣"),
    "a separator": HEAD + line("D-1", "1_000"),
    "a fraction": HEAD + line("D-1", "3.0"),
    "a negative": HEAD + line("D-1", "-1"),
    "a sign": HEAD + line("D-1", "+3"),
    "bold": HEAD + line("D-1", "**3**"),
    "words behind": HEAD + line("D-1", "3 (since May)"),
    "two rows of one id": HEAD + line("D-1", "1") + line("D-1", "2", note="another"),
    "conflict markers": HEAD + "<<<<<<< HEAD\n" + line("D-1", "1") + "=======\n" + line("D-1", "2") + ">>>>>>> b\n",
}


@pytest.mark.parametrize("table", SPEAKS_UNCOUNTED.values(), ids=SPEAKS_UNCOUNTED.keys())
def test_a_row_whose_count_cannot_be_written_speaks_and_stays(repo: Repo, table: str) -> None:
    assert "D-1" in ids(speak(repo, table))
    assert repo.read(BACKLOG) == table


FENCED = HEAD + line("D-9")
SAYS_NOTHING = {
    "in a fence": "```\n" + FENCED + "```\n",
    "in a fence of tildes": "~~~md\n" + FENCED + "~~~\n",
    "in a fence within a fence": "````\n```\n" + FENCED + "```\n````\n",
    "indented": "text\n\n" + re.sub("(?m)^", "    ", FENCED),
    "in a comment": "<!--\n" + FENCED + "-->\n",
    "in a quote": re.sub("(?m)^", "> ", FENCED),
    "in a list": "- " + re.sub("(?m)^", "  ", FENCED)[2:],
    "in a fence that is never closed": "```\n" + FENCED,
    "below a delimiter with a hard blank": TITLE + "|\u00a0---|---|---|---|---|---|\n" + line("D-9"),
    "below a delimiter too short": TITLE + "|---|---|\n" + line("D-9"),
    "without a delimiter": TITLE + line("D-9"),
    "without a note column": "| id | trigger |\n|--|--|\n| D-9 | " + SPAN + " |\n",
    "struck": HEAD + line("~~D-9~~"),
    "struck by one tilde, in bold": HEAD + line("**~D-9~**"),
    "superseded": HEAD + line("D-9").replace("owed", "superseded 2026-11-29 by D-1"),
    "revoked": HEAD + line("D-9").replace("owed", "Revoked."),
    "prose below the table": HEAD + "See also D-9 | path:.* for details\n",
    "without a trigger": HEAD + line("D-9", trigger=""),
    "empty": "",
    "random bytes": bytes(range(256)) * 40,
}


@pytest.mark.parametrize("table", SAYS_NOTHING.values(), ids=SAYS_NOTHING.keys())
def test_what_is_no_row_in_force_says_nothing_and_stays(repo: Repo, table: str | bytes) -> None:
    assert speak(repo, table).context == ""
    assert repo.changed() == []


@pytest.mark.parametrize(
    ("table", "place"),
    [
        (SAYS_NOTHING["in a fence that is never closed"], f"{BACKLOG}:1"),
        (SAYS_NOTHING["below a delimiter with a hard blank"], f"{BACKLOG}:2"),
        (HEAD + line("D-9", trigger="`path: ^a|b$`"), f"{BACKLOG}:3"),
        (HEAD + line("D-9", "three"), f"{BACKLOG}:3"),
    ],
    ids=["a fence", "a delimiter", "a bare pipe in a code span", "a count"],
)
def test_a_row_that_is_lost_is_said_out_loud_with_its_place(repo: Repo, table: str, place: str) -> None:
    repo.write(BACKLOG, table)
    repo.commit()
    assert place in told(repo)


def test_a_broken_row_is_told_of_once_a_session_and_never_on_quiet_events(repo: Repo) -> None:
    repo.write(BACKLOG, HEAD + line("D-9", trigger="`path: ^a|b$`") + line("D-1"))
    repo.commit()
    session = Session(repo)
    first = run_hook(session.post("Edit", file_path=repo.path("src/a.py")))
    assert f"{BACKLOG}:3" in first.person
    for name in ("src/a.py", "src/b.py", "src/c.py"):
        assert run_hook(session.post("Edit", file_path=repo.path(name))).answer is None


def test_one_bad_row_costs_no_neighbour(repo: Repo) -> None:
    table = HEAD + line("D-1") + "| D-2 | debt | `path: ^src/(a` |\n" + line("D-3") + "| | | | | | |\n" + line("D-4")
    assert ids(speak(repo, table)) == ["D-1", "D-3", "D-4"]
    assert [repo.rides(name) for name in ("D-1", "D-3", "D-4")] == [1, 1, 1]


class TestPipesInPatterns:
    def test_a_backslash_before_a_pipe_is_the_tables_own(self, repo: Repo) -> None:
        table = HEAD + line("D-1", trigger=r"`path: ^src/(a\|b)\.py$`")
        assert ids(speak(repo, table, "src/b.py")) == ["D-1"]
        assert ids(speak(repo, table, "src/a|b.py")) == []

    def test_two_backslashes_leave_one(self, repo: Repo) -> None:
        table = HEAD + line("D-1", "7", trigger=r"`cmd: cat x \\| sh`")
        assert ids(speak(repo, table, command="cat x | sh")) == ["D-1"]
        assert repo.read(BACKLOG) == table.replace("| 7 |", "| 8 |")

    def test_an_entity_in_a_code_span_is_five_letters(self, repo: Repo) -> None:
        assert ids(speak(repo, HEAD + line("D-1", trigger=r"`path: ^src/(a&#124;b)\.py$`"), "src/b.py")) == []


class TestWhichRowsAreDebts:
    def test_the_files_default_stands_in_for_the_column(self, repo: Repo) -> None:
        table = "| id | trigger | note | rides |\n|--|--|--|--|\n| D-1 | " + SPAN + " | a note | 0 |\n"
        assert "rule" in speak(repo, table).context
        repo.write("gatilho.toml", '[sources."backlog.md"]\nlifecycle = "debt"\n')
        assert "debt" in speak(repo, table).context

    @pytest.mark.parametrize("text", ["", "rule", "Debts", "dept", "?"])
    def test_what_is_not_clearly_a_debt_is_a_rule(self, repo: Repo, text: str) -> None:
        assert "; rule, " in speak(repo, HEAD + line("D-1").replace("| debt |", f"| {text} |")).context

    @pytest.mark.parametrize("text", ["debt", "Debt", " DEBT ", "dívida", "divida", "**debt**", "`debt`"])
    def test_what_is(self, repo: Repo, text: str) -> None:
        assert "; debt, " in speak(repo, HEAD + line("D-1").replace("| debt |", f"| {text} |")).context


def test_control_sequences_in_a_note_never_reach_anybody(repo: Repo) -> None:
    note = "x\x1b[2J\x1b]0;t\x07\x1b]8;;http://h.invalid\x1b\\y\u009b31m\x08\x7f\u202ez"
    table = HEAD + line("D-1", "3", note=note)
    answer = speak(repo, table)
    assert ids(answer) == ["D-1"]
    for said in (answer.context, answer.person, told(repo)):
        assert said.replace("\n", "").isprintable()
    assert repo.read(BACKLOG) == table.replace("| 3 |", "| 4 |")


def test_more_rows_than_an_answer_holds(repo: Repo) -> None:
    rows = "".join(line(f"D-{n}", "0", note=f"note {n} " + "w" * 280) for n in range(60))
    answer = speak(repo, HEAD + rows)
    said = ids(answer)
    assert len(answer.context) <= 4000
    assert answer.context.endswith(f"({60 - len(said)} more: gatilho why src/a.py)")
    assert {n for n in range(60) if repo.rides(f"D-{n}")} == {int(name[2:]) for name in said}


def test_more_due_rows_than_a_person_wants_to_read_at_once(repo: Repo) -> None:
    person = speak(repo, HEAD + "".join(line(f"D-{n}", "7", note="w" * 5000) for n in range(60))).person
    assert len(person) < 3000
    assert person.count("is due after 7 rides") + int(re.findall(r"(\d+) more line", person)[0]) == 60


def test_equal_notes_are_said_once_with_all_ids_and_similar_ones_each(repo: Repo) -> None:
    rows = line("D-1", note="the same") + line("D-2", note="the same") + line("D-3", note="the same 2")
    answer = speak(repo, HEAD + rows)
    assert ids(answer) == ["D-1", "D-2", "D-3"]
    assert answer.context.count("- the same") == 2
