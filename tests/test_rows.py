"""Rows as they are understood, and what is said about bad ones."""

import pytest

from gatilho.document.document import Document
from gatilho.document.rows import CODES, iter_rows, read_columns, read_row, read_rows
from gatilho.model import Row, Trigger

HEAD = "| id | lifecycle | trigger | note | paid when | rides | state |\n|---|---|---|---|---|---|---|\n"
SHORT = "| id | trigger | note |\n|---|---|---|\n"
FULL = "| id | trigger | note | kind | key | owner | added | expires | not before | ask after | holds while |\n"
FULL += "|---" * 11 + "|\n"


def rows_of(text: str, lifecycle: str = "rule") -> list[Row]:
    return read_rows(text.encode(), "a.md", lifecycle)[0]


def row_of(line: str, head: str = HEAD) -> Row:
    (row,) = rows_of(head + line + "\n")
    return row


def said(text: str | bytes) -> list[tuple[str, int]]:
    data = text.encode() if isinstance(text, str) else text
    return [(problem.code, problem.place.line) for problem in read_rows(data, "a.md")[1]]


def codes(line: str, head: str = HEAD) -> list[str]:
    return [code for code, _ in said(head + line + "\n")]


GOOD = "| D-1 | debt | `path: ^a\\|b$` `start` | a note | `exists x.py` | 3 | owed |"


def test_a_row_is_read() -> None:
    rows, problems = read_rows((HEAD + GOOD).encode(), "docs/gatilhos/a.md", store="team")
    assert problems == []
    (row,) = rows
    assert (row.id, row.lifecycle, row.note, row.rides, row.state, row.state_text) == (
        "D-1",
        "debt",
        "a note",
        3,
        "owed",
        "owed",
    )
    assert row.triggers == (Trigger("path", "^a|b$"), Trigger("start", ""))
    assert [(condition.kind, condition.argument) for condition in row.conditions] == [("exists", "x.py")]
    assert (row.store, row.file, row.line, row.struck, row.owed) == ("team", "docs/gatilhos/a.md", 3, False, True)


def test_optional_columns_are_read() -> None:
    row = row_of("| R-1 | `a` | n | Task | k | me | 2026-01-02 | 2026-12-24 | 2026-02-28 | 5 | `exists x` |", FULL)
    assert (row.kind, row.key, row.owner, row.ask_after) == ("task", "k", "me", 5)
    assert (row.added, row.expires, row.not_before) == ("2026-01-02", "2026-12-24", "2026-02-28")
    assert [condition.kind for condition in row.holds_while] == ["exists"]


@pytest.mark.parametrize(
    ("header", "column"),
    [
        ("ID", "id"),
        ("**Id**", "id"),
        ("ciclo", "lifecycle"),
        ("Gatilho", "trigger"),
        ("sentence", "note"),
        ("nota", "note"),
        ("frase", "note"),
        ("item", "note"),
        ("lembrete", "note"),
        ("Paid  When", "paid when"),
        ("paga quando", "paid when"),
        ("pago quando", "paid when"),
        ("condition", "paid when"),
        ("condição", "paid when"),
        ("CONDIÇÃO", "paid when"),
        ("condic\u0327a\u0303o", "paid when"),
        ("caronas", "rides"),
        ("estado", "state"),
        ("tipo", "kind"),
        ("chave", "key"),
        ("dono", "owner"),
        ("added", "added"),
        ("expira", "expires"),
        ("not before", "not before"),
        ("ask after", "ask after"),
        ("holds while", "holds while"),
    ],
)
def test_columns_are_found_by_their_words(header: str, column: str) -> None:
    for written in (header, f"[{header}](format.md)", f"**[{header}][1]**", f"<b>{header}</b>"):
        assert read_columns(f"| x | {written} | y |".encode()) == {column: 1}


def test_columns_stand_in_any_order_behind_a_byte_order_mark() -> None:
    columns = read_columns("\ufeff| note | other | id | trigger | id |".encode())
    assert columns == {"note": 0, "id": 2, "trigger": 3}
    assert (columns.count, columns.twice, columns.of_rows) == (5, [("id", 4)], True)


@pytest.mark.parametrize(
    ("cell", "lifecycle", "code"),
    [
        ("debt", "debt", None),
        ("Debt", "debt", None),
        ("**debt**", "debt", None),
        ("dívida", "debt", None),
        ("DÍVIDA", "debt", None),
        ("di\u0301vida", "debt", None),
        ("divida", "debt", None),
        ("rule", "rule", None),
        ("regra", "rule", None),
        ("", "rule", None),
        ("dept", "rule", "GT108"),
    ],
)
def test_lifecycle(cell: str, lifecycle: str, code: str | None) -> None:
    line = f"| D-1 | {cell} | `a` | n | | 0 | |"
    assert row_of(line).lifecycle == lifecycle
    assert codes(line) == ([code] if code else [])


def test_a_default_lifecycle_stands_in_for_the_column_and_for_nothing_else() -> None:
    assert rows_of(SHORT + "| D-1 | `a` | n |\n", "debt")[0].lifecycle == "debt"
    assert rows_of(HEAD + "| D-1 | | `a` | n | | 0 | |\n", "debt")[0].lifecycle == "rule"


@pytest.mark.parametrize(
    ("cell", "state"),
    [
        ("owed", "owed"),
        ("Owed.", "owed"),
        ("devida", "owed"),
        ("paga 2026-01-02", "paid"),
        ("regra", "rule"),
        ("**superseded** 2026-11-29 by R-2", "superseded"),
        ("revoked: wrong", "revoked"),
        ("expired", "expired"),
        ("waived until 2026-12-24", "waived"),
        ("open", ""),
        ("", ""),
        ("to be paid", ""),
    ],
)
def test_the_first_word_of_the_state_counts(cell: str, state: str) -> None:
    row = row_of(f"| D-1 | | `a` | n | | 0 | {cell} |")
    assert (row.state, row.state_text) == (state, cell)


@pytest.mark.parametrize(
    ("cell", "rides"),
    [("", 0), ("0", 0), ("007", 7), ("99999999999999999999", 99999999999999999999), ("\u00a03", 3), ("²", None), ("٣", None),
     ("1_000", None), ("3.0", None), ("-1", None), ("**3**", None), ("3 (since May)", None), ("+3", None), ("0x1", None),
     ("9" * 5000, None)],
)  # fmt: skip
def test_rides_are_plain_digits(cell: str, rides: int | None) -> None:
    line = f"| D-1 | debt | `a` | n | | {cell} | owed |"
    assert row_of(line).rides == rides
    assert codes(line) == ([] if rides is not None else ["GT107"])


@pytest.mark.parametrize(
    ("cell", "triggers", "code"),
    [
        pytest.param("`path: ^a`", [("path", "^a")], None, id="path"),
        pytest.param("`path:^a`", [("path", "^a")], None, id="no blank behind the colon"),
        pytest.param("`^a`", [("path", "^a")], None, id="no prefix"),
        pytest.param("`(?:a|b)`".replace("|", "\\|"), [("path", "(?:a|b)")], None, id="a colon in the pattern"),
        pytest.param("`(?i:a)`", [("path", "(?i:a)")], None, id="a colon behind flags"),
        pytest.param("`GLOB: *.py`", [("glob", "*.py")], None, id="capitals"),
        pytest.param("`write: a` or `read: b`", [("write", "a"), ("read", "b")], None, id="two, with words between"),
        pytest.param("`cmd: \\bgit push\\b`", [("cmd", "\\bgit push\\b")], None, id="command"),
        pytest.param("`prompt: a:b`", [("prompt", "a:b")], None, id="a second colon"),
        pytest.param("`start`", [("start", "")], None, id="start"),
        pytest.param("` start `", [("start", "")], None, id="start with blanks"),
        pytest.param("`path: a `", [("path", "a ")], None, id="a blank at the end is part of the pattern"),
        pytest.param("path: ^a\\.py$", [("path", "^a\\.py$")], "GT112", id="no code span"),
        pytest.param("path: (a&#124;b)", [("path", "(a|b)")], "GT112", id="an entity outside code is decoded"),
        pytest.param("`(a&#124;b)`", [("path", "(a&#124;b)")], "GT115", id="an entity in code is not"),
        pytest.param("`cmd: a &amp;&amp; b`", [("cmd", "a &amp;&amp; b")], "GT115", id="any entity in code"),
        pytest.param(
            "`cmd: a & b; c&d;`", [("cmd", "a & b; c&d;")], None, id="commands in the background are no entities"
        ),
        pytest.param("`x\\\\|y`", [("path", "x\\|y")], "GT116", id="two backslashes before a pipe"),
        pytest.param("`paths: a`", [("path", "paths: a")], "GT113", id="unknown prefix"),
        pytest.param("`path:` `a`", [("path", "a")], "GT114", id="one without a pattern"),
        pytest.param("` `", [], "GT114", id="nothing but a blank"),
        pytest.param("", [], "GT111", id="empty"),
    ],
)
def test_triggers(cell: str, triggers: list[tuple[str, str]], code: str | None) -> None:
    line = f"| D-1 | debt | {cell} | n | | 0 | owed |"
    assert [(trigger.kind, trigger.pattern) for trigger in row_of(line).triggers] == triggers
    assert codes(line) == ([code] if code else [])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("| | debt | `a` | n | | 0 | owed |", "GT101", id="no id"),
        pytest.param("| ~~D~~-1 | debt | `a` | n | | 0 | owed |", "GT103", id="id struck in part"),
        pytest.param("| ~~D-1 | debt | `a` | n | | 0 | owed |", "GT103", id="a strike without its end"),
        pytest.param("| D-1~~ | debt | `a` | n | | 0 | owed |", "GT103", id="a strike without its start"),
        pytest.param("| ~D-1 | debt | `a` | n | | 0 | owed |", "GT103", id="half of a short strike"),
        pytest.param("| ~~D-1~ | debt | `a` | n | | 0 | owed |", "GT103", id="ends of a strike that differ"),
        pytest.param("| ~~~D-1~~~ | debt | `a` | n | | 0 | owed |", "GT103", id="three tildes strike nothing"),
        pytest.param("| `~~D-1~~` | debt | `a` | n | | 0 | owed |", "GT103", id="a strike inside code"),
        pytest.param("| \\~~D-1~~ | debt | `a` | n | | 0 | owed |", "GT103", id="an escaped strike"),
        pytest.param("| ~~ D-1 ~~ | debt | `a` | n | | 0 | owed |", "GT103", id="blanks inside a strike"),
        pytest.param("| **~~D-1** | debt | `a` | n | | 0 | owed |", "GT103", id="half a strike in bold"),
        pytest.param("| D-1 | debt | `a` | n |", "GT104", id="too few cells"),
        pytest.param("| D-1 | debt | `a` | n | | 0 | owed | stray |", "GT105", id="too many cells"),
        pytest.param("| D-1 | debt | `a|b` | n | | 0 | owed |", "GT106", id="a pipe in the trigger"),
        pytest.param("| D-1 | debt | `a|b` | n | | owed |", "GT106", id="a pipe in the trigger of a short row"),
        pytest.param("| D-1 | debt | `a` | n | `contains x a|b` | 0 | owed |", "GT106", id="a pipe in the condition"),
        pytest.param("| D-1 | debt | `a` | n | `contains x a|b` | owed |", "GT106", id="a pipe for a missing cell"),
        pytest.param("| D-1 | debt | ``a|b`` | n | | owed |", "GT106", id="a pipe between two backticks each"),
        pytest.param("| D-1 | debt | `(a|b|c)` | n | | 0 | owed |", "GT106", id="two pipes in the trigger"),
        pytest.param("| D-1 | debt | `a` | n | | 0 | paid |", "GT109", id="paid and not struck"),
        pytest.param("| ~~D-1~~ | debt | `a` | n | | 0 | owed |", "GT109", id="struck and owed"),
        pytest.param("| ~~R-1~~ | rule | `a` | n | | 0 | |", "GT110", id="struck rule"),
        pytest.param("| R-1 | rule | `a` | n | | 0 | owed |", "GT130", id="owed rule"),
        pytest.param("| D-1 | debt | `a` | n | | 0 | rule |", "GT130", id="debt that says rule"),
        pytest.param("| D-1 | debt | `a` | n | `contain x y` | 0 | owed |", "GT117", id="misspelt condition"),
        pytest.param("| D-1 | debt | `a` | n | when done | 0 | owed |", "GT118", id="condition in words"),
        pytest.param("| D-1 | debt | `a` | n | | 0 | waived until 2027-02-29 |", "GT120", id="waived until no day"),
        pytest.param("| D-1 | debt | `a` | | | 0 | owed |", "GT121", id="empty note"),
        pytest.param("<<<<<<< HEAD", "GT122", id="conflict marker"),
        pytest.param("||||||| base", "GT122", id="conflict marker of pipes"),
        pytest.param("=======", "GT122", id="conflict marker of equals signs"),
        pytest.param("| id | lifecycle | trigger | note |", "GT123", id="header among the rows"),
        pytest.param("|---|---|---|---|---|:-:|---|", "GT123", id="delimiter row among the rows"),
        pytest.param("| D 1 | debt | `a` | n | | 0 | owed |", "GT131", id="blank in the id"),
        pytest.param("| -x | debt | `a` | n | | 0 | owed |", "GT131", id="an id like an option"),
        pytest.param("See also D-1 | path:.* for details", "GT102", id="prose"),
        pytest.param("words", "GT102", id="one word of prose"),
    ],
)
def test_what_is_said_about_a_line(line: str, code: str) -> None:
    assert said(HEAD + GOOD + "\n" + line + "\n" + GOOD)[0] == (code, 4)
    assert len(said(HEAD + GOOD + "\n" + line + "\n")) == 1


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("<<<<<<< HEAD\n# One\n=======\n# Two\n>>>>>>> other\n\n", 1),
        ("```\n<<<<<<< ours\n```\n\n", 2),
        (">>>>>>> other\n\n", 1),
        (" <<<<<<< an example\n\n", 0),
    ],
    ids=["in the prose", "in a fence", "only the end of one", "an example behind a blank"],
)
def test_a_marker_away_from_the_table_is_told_for_it_keeps_the_file_from_being_written(before: str, line: int) -> None:
    assert said(before + HEAD + GOOD + "\n") == ([("GT122", line)] if line else [])


@pytest.mark.parametrize(
    "line",
    [
        "| ~~D-1~~ | debt | `a` | n | | 0 | paid |",
        "| ~~D-1~~ | debt | `a` | n | | 0 | |",
        "| ~~R-1~~ | rule | `a` | n | | 0 | superseded 2026-11-29 by R-2 |",
        "| D-1 | debt | `a` | n | | 0 | waived until 2026-12-24 |",
        "| D-1 | debt | `a` | ~~n~~ ~/x ~/y | | 0 | open |",
        "D-1 | debt | `a` | n | | 0 | owed",
        "| | | | | | | |",
        "|D-1|debt|`a`|n|||owed|",
    ],
)
def test_nothing_is_said_about_a_good_line(line: str) -> None:
    assert codes(line) == []


@pytest.mark.parametrize(
    "line", ["<<<<<<< HEAD", "=======", "| | debt | `a` | n | | 0 | |", "See also D-1 | path:.*", "|-|-|-|"]
)
def test_what_is_no_row_costs_no_neighbour(line: str) -> None:
    rows = rows_of(f"{HEAD}{GOOD}\n{line}\n{GOOD.replace('D-1', 'D-2')}\n")
    assert [(row.id, row.line) for row in rows] == [("D-1", 3), ("D-2", 5)]


def test_cells_behind_a_cut_code_span_are_not_read() -> None:
    row = row_of("| D-1 | debt | `a|b` | n | `exists x` | 7 | paid |")
    assert (row.id, row.lifecycle, row.triggers, row.note, row.conditions, row.rides, row.state) == (
        "D-1", "debt", (), "", (), None, "",
    )  # fmt: skip


def test_a_misspelt_condition_cannot_pay() -> None:
    row = row_of("| D-1 | debt | `a` | n | `exists x` `contain x y` | 0 | owed |")
    assert [condition.kind in ("exists", "missing", "contains", "lacks", "passes") for condition in row.conditions] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("date", "good"),
    [("2026-12-24", True), ("2024-02-29", True), ("2026-02-29", False), ("2026-13-01", False), ("24.12.2026", False),
     ("2026-1-2", False), ("2026-00-10", False), ("0000-01-01", False), ("2026-04-31", False), ("soon", False)],
)  # fmt: skip
def test_dates_are_days_of_the_calendar(date: str, good: bool) -> None:
    line = f"| R-1 | `a` | n | | | | {date} | | | | |"
    assert row_of(line, FULL).added == (date if good else "")
    assert codes(line, FULL) == ([] if good else ["GT120"])


def test_ask_after_is_a_number() -> None:
    line = "| R-1 | `a` | n | | | | | | | soon | |"
    assert row_of(line, FULL).ask_after is None
    assert codes(line, FULL) == ["GT119"]


def test_a_no_break_space_is_no_part_of_an_id() -> None:
    assert row_of("| D-1\u00a0| debt | `a` | n | | \u00a03 | owed |").id == "D-1"


def test_what_has_no_width_is_no_part_of_an_id() -> None:
    assert row_of("| \ufeffD\u200b-1 | debt | `a` | n | | 3 | owed |").id == "D-1"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        pytest.param(
            "| id | trigger | note |\n|\u00a0---|---|---|\n| D | `a` | n |\n", "GT128", 2, id="no-break space"
        ),
        pytest.param("| id | trigger | note |\n|---|---|\n| D | `a` | n |\n", "GT128", 2, id="delimiter too short"),
        pytest.param("\ufeff| id | trigger | note |\n\n| D | `a` | n |\n", "GT128", 1, id="no delimiter"),
        pytest.param(
            SHORT + "| D | `a` | n |\n\n| E | `a` | n |\n| F | `a` | n |\n", "GT129", 5, id="a blank line between"
        ),
        pytest.param(SHORT + "| D | `a` | n |\n<!-- c -->\n| E | `a` | n |\n", "GT129", 5, id="a comment between"),
        pytest.param(SHORT + "| D | `a` | n |\n> q\n| E | `a` | n |\n", "GT129", 5, id="a quote between"),
        pytest.param(SHORT + "    | D | `a` | n |\n", "GT129", 3, id="a row indented by four"),
        pytest.param("words\n\n~~~md\n" + SHORT + "| D | `a` | n |\n", "GT126", 3, id="a fence without an end"),
        pytest.param("<!-- words\n" + SHORT + "| D | `a` | n |\n", "GT126", 1, id="a comment without an end"),
        pytest.param(
            "<details>\n" + SHORT + "| D | `a` | n |\n</details>\n", "GT127", 1, id="details without a blank line"
        ),
        pytest.param("> words\n" + SHORT + "| D | `a` | n |\n", "GT127", 2, id="a quote directly above"),
        pytest.param("- words\n" + SHORT + "| D | `a` | n |\n", "GT127", 2, id="a list directly above"),
        pytest.param("1. words\nid | trigger | note\n-|-|-\nD | `a` | n\n", "GT127", 2, id="a list, no outer pipes"),
        pytest.param(
            "words\n\n" + "".join(f"    {one}\n" for one in (*SHORT.split("\n")[:2], "| D | `a` | n |")),
            "GT127",
            3,
            id="four blanks before it",
        ),
        pytest.param("| id | trigger | sentense |\n|---|---|---|\n| D | `a` | n |\n", "GT132", 1, id="no note column"),
        pytest.param("| id | trigger | note | nota |\n|---|---|---|---|\n", "GT124", 1, id="a column twice"),
    ],
)
def test_what_would_vanish_is_said(text: str, code: str, line: int) -> None:
    assert said(text) == [(code, line)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```\n" + SHORT + "| D | `a` | n |\n```\n", id="an example in a fence"),
        pytest.param("<!--\n" + SHORT + "| D | `a` | n |\n-->\n", id="a table in a comment"),
        pytest.param("> | id | trigger | note |\n> |---|---|---|\n> | D | `a` | n |\n", id="a table in a quote"),
        pytest.param("- x\n\n  | id | trigger | note |\n  |---|---|---|\n  | D | `a` | n |\n", id="a table in a list"),
        pytest.param("| a | b | c |\n\nwords | more\n", id="pipes in prose"),
        pytest.param("| id | note |\n|---|---|\n| D | n |\n", id="another table"),
        pytest.param("```\nno table\n", id="a fence without an end and without a table"),
        pytest.param("", id="nothing"),
    ],
)
def test_prose_is_neither_read_nor_complained_of(text: str) -> None:
    assert read_rows(text.encode(), "a.md") == ([], [])


def test_a_cell_that_is_no_text_is_said() -> None:
    data = HEAD.encode() + b"| D-1 | debt | `a` | caf\xe9 | | 0 | owed |\n"
    rows, problems = read_rows(data, "a.md")
    assert rows[0].note == "caf\ufffd"
    assert [(problem.code, problem.place.column, problem.width) for problem in problems] == [("GT125", 22, 4)]


def test_a_problem_shows_its_cell_in_characters() -> None:
    text = HEAD + "| D-1 | dívida | `é日本` | ção | | +3 | owed |\n"
    (problem,) = read_rows(text.encode(), "docs/gatilhos/a.md")[1]
    assert problem.text == "| D-1 | dívida | `é日本` | ção | | +3 | owed |"
    assert problem.text[problem.place.column - 1 :][: problem.width] == "+3"
    assert (str(problem.place), problem.severity, problem.row) == ("docs/gatilhos/a.md:3", "error", "D-1")
    assert problem.remedy


def test_a_problem_with_what_is_too_much_covers_all_of_it() -> None:
    (problem,) = read_rows((SHORT + "| D-1 | `a` | n | x | y |\n").encode(), "a.md")[1]
    assert problem.text[problem.place.column - 1 :][: problem.width] == "x | y"


def test_problems_come_in_the_order_of_their_lines() -> None:
    text = "| id | trigger | note |\n\n" + SHORT + "| | `a` | n |\n"
    assert said(text) == [("GT128", 1), ("GT101", 5)]


def test_every_code_is_described() -> None:
    assert all(code.startswith("GT1") and len(code) == 5 and text for code, text in CODES.items())
    assert len(set(CODES.values())) == len(CODES)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_rows_are_yielded_with_the_bytes_of_their_lines(ending: str) -> None:
    text = "\ufeff" + (HEAD + GOOD + "\n\nwords\n\n" + HEAD + GOOD.replace("D-1", "D-2")).replace("\n", ending)
    data = text.encode()
    found = [
        (read.row.id, read.raw.decode(), read.header_line) for read in iter_rows(Document(data), "a.md") if read.row
    ]
    assert found == [("D-1", GOOD, 1), ("D-2", GOOD.replace("D-1", "D-2"), 7)]


def test_a_single_line_reads_as_it_does_in_its_document() -> None:
    lines = [GOOD, "| ~~R-1~~ | rule | x | n | | 1_0 | revoked |", "prose", "| D-1 | debt | `a|b` | n |"]
    columns = read_columns(HEAD.split("\n")[0].encode())
    for line in lines:
        row, problems = read_row(line.encode(), columns, "a.md", 3, "rule", "")
        assert (([row] if row else []), problems) == read_rows((HEAD + line + "\n").encode(), "a.md")


def test_a_line_below_another_header_is_read_without_a_trigger() -> None:
    row, _ = read_row(b"| D-1 | n |", read_columns(b"| id | note |"), "a.md", 3)
    assert row is not None
    assert (row.id, row.triggers, row.note) == ("D-1", (), "n")


def test_a_union_merge_leaves_both_rows() -> None:
    lines = "| D-1 | debt | `a` | n | | 4 | owed |\n| ~~D-1~~ | debt | `a` | n | | 3 | paid |\n"
    assert [(row.id, row.struck, row.rides) for row in rows_of(HEAD + lines)] == [("D-1", False, 4), ("D-1", True, 3)]


def test_many_rows_are_read() -> None:
    lines = "".join(f"| D-{number} | debt | `a` | n | | {number} | owed |\n" for number in range(3000))
    rows = rows_of(HEAD + lines)
    assert [row.rides for row in rows] == list(range(3000))
    assert Document((HEAD + lines).encode()).tables[0].last_line == 3002


@pytest.mark.parametrize(
    "cell",
    ["~~D-1", "D-1~~", "~D-1", "~~D-1~", "~~~D-1~~~", "`~~D-1~~`", "`~~D-1`", "\\~~D-1~~", "~~ D-1 ~~", "~~D~~-1"],
)
def test_an_id_with_half_a_strike_is_that_row_and_both_ways_to_write_it_are_sound(cell: str) -> None:
    text = HEAD + f"| {cell} | debt | `a` | n | | 3 | owed |\n"
    (row,), (problem,) = read_rows(text.encode(), "a.md")
    assert (row.id, row.struck, row.rides, problem.code) == ("D-1", False, 3, "GT103")
    struck_way, plain_way = problem.remedy.split("`")[1::2]
    for written, state, struck in ((struck_way, "paid", True), (plain_way, "owed", False)):
        (row,), problems = read_rows((HEAD + f"| {written} | debt | `a` | n | | 3 | {state} |\n").encode(), "a.md")
        assert (row.id, row.struck, problems) == ("D-1", struck, [])


def test_tildes_within_an_id_are_part_of_it() -> None:
    assert row_of("| D~1 | debt | `a` | n | | 0 | owed |").id == "D~1"
    assert codes("| D~1 | debt | `a` | n | | 0 | owed |") == []


def test_a_cut_span_is_looked_for_a_bounded_time_in_a_line_of_any_length() -> None:
    """Joined anew for each cell, this line would take minutes; a span that ends soon is found all the same."""
    assert codes("| D-1 | debt | `" + "(a|b)*" * 20_000 + "` | n | | 0 | owed |") == ["GT106"]
    apart = " | ".join("`" * length for length in range(1, 1_000))  # each run could close only one of its length
    assert "GT105" in codes(f"| D-1 | debt | {apart} | n | | 0 | owed |")
