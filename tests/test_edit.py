"""Edits change the cells that are meant and not one byte more."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.document.document import Document
from gatilho.document.edit import CellEdit, append_row, apply, escape_cell, strike, unstrike
from gatilho.document.rows import read_rows
from gatilho.document.table import cell_text, split_cells
from gatilho.errors import DocumentError

HEAD = "| id | trigger | note | rides | state |\n|---|---|---|---|---|\n"


def edited(text: str, *edits: CellEdit, whole: bool = True) -> str:
    return apply(text.encode(), 1, list(edits), whole).decode()


def row_with(rides: str, column: str = "---") -> str:
    return f"| id | trigger | note | rides | state |\n|---|---|---|{column}|---|\n| D-1 | `a` | n |{rides}| owed |\n"


@pytest.mark.parametrize(
    ("before", "number", "after"),
    [
        pytest.param("     9 ", "10", "    10 ", id="padding on the left is used up"),
        pytest.param(" 9     ", "10", " 10    ", id="padding on the right is used up"),
        pytest.param("    99 ", "100", "   100 ", id="three digits"),
        pytest.param("   9   ", "10", "  10   ", id="centred, the left first"),
        pytest.param("  9   ", "10", "  10  ", id="centred, the wider side first"),
        pytest.param(" 9 ", "10", " 10 ", id="single blanks stay"),
        pytest.param("9", "10", "10", id="no blanks"),
        pytest.param(" 99999 ", "100000", " 100000 ", id="no padding left"),
        pytest.param("  9 ", "1000", " 1000 ", id="more digits than padding"),
        pytest.param(" 3 ", "4", " 4 ", id="the same width"),
        pytest.param("\t3\t", "4", "\t4\t", id="tabs stay"),
        pytest.param("\t9\t", "10", "\t10\t", id="tabs are no padding"),
        pytest.param("\u00a03 ", "4", "\u00a04 ", id="a no-break space stays"),
        pytest.param("    10 ", "9", "     9 ", id="a number that shrinks gives padding back"),
        pytest.param(" 10 ", "9", " 9 ", id="a number that shrinks between single blanks"),
        pytest.param("  007 ", "8", "    8 ", id="leading zeros"),
        pytest.param(" ", "1", " 1 ", id="an empty cell"),
        pytest.param("  ", "1", " 1 ", id="an empty cell of two blanks"),
        pytest.param("", "1", "1", id="an empty cell without blanks"),
        pytest.param("       ", "1", " 1     ", id="an empty padded cell"),
    ],
)
def test_a_number_takes_padding_and_nothing_else_moves(before: str, number: str, after: str) -> None:
    assert edited(row_with(before), CellEdit(3, "rides", number)) == row_with(after)


def test_an_empty_cell_of_a_right_aligned_column_is_filled_from_the_right() -> None:
    assert edited(row_with("       ", "--:"), CellEdit(3, "rides", "1")) == row_with("     1 ", "--:")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("id|trigger|note|rides\n-|-|-|-\nD-1|`a`|n|9", "id|trigger|note|rides\n-|-|-|-\nD-1|`a`|n|10", id="end"),
        pytest.param(
            "id | trigger | note | rides\n--|--|--|--\nD-1 | `a` | n | 9   \nnext\n",
            "id | trigger | note | rides\n--|--|--|--\nD-1 | `a` | n | 10   \nnext\n",
            id="trailing blanks of the line are no padding",
        ),
        pytest.param(
            "rides | id | trigger | note\n--|--|--|--\n  9 | D-1 | `a` | n\n",
            "rides | id | trigger | note\n--|--|--|--\n  10 | D-1 | `a` | n\n",
            id="the indent of the line is no padding",
        ),
    ],
)  # fmt: skip
def test_a_number_at_an_open_end_of_the_line(before: str, after: str) -> None:
    assert edited(before, CellEdit(3, "rides", "10")) == after


@pytest.mark.parametrize(
    ("column", "text", "after"),
    [
        pytest.param("state", "paid", "| D-1 | `a` | n | 3 | paid |", id="a word"),
        pytest.param("state", "", "| D-1 | `a` | n | 3 | |", id="nothing"),
        pytest.param("id", "~~D-1~~", "| ~~D-1~~ | `a` | n | 3 | owed |", id="a strike"),
        pytest.param("note", "a\\|b", "| D-1 | `a` | a\\|b | 3 | owed |", id="an escaped pipe"),
        pytest.param("note", "日本", "| D-1 | `a` | 日本 | 3 | owed |", id="wide letters"),
        pytest.param("trigger", "`x`", "| D-1 | `x` | n | 3 | owed |", id="a code span"),
    ],
)
def test_one_cell_changes(column: str, text: str, after: str) -> None:
    before = HEAD + "| D-1 | `a` | n | 3 | owed |\n"
    assert edited(before, CellEdit(3, column, text)) == HEAD + after + "\n"


def test_several_cells_of_several_rows_change_at_once() -> None:
    rows = "| D-1 | `a` | n | 3 | owed |\n| D-2 | `a` | n | 9 | owed |\n"
    edits = [CellEdit(4, "rides", "10"), CellEdit(3, "state", "paid"), CellEdit(3, "id", "~~D-1~~")]
    assert edited(HEAD + rows, *edits) == HEAD + "| ~~D-1~~ | `a` | n | 3 | paid |\n| D-2 | `a` | n | 10 | owed |\n"


def test_a_backslash_at_the_end_does_not_join_the_next_cell() -> None:
    before = "|id|trigger|note|\n|-|-|-|\n|D-1|`a`|n|\n"
    assert edited(before, CellEdit(3, "note", "x\\")) == "|id|trigger|note|\n|-|-|-|\n|D-1|`a`|x\\ |\n"


KEPT = {
    "carriage returns": (HEAD + "| D-1 | `a` | n | 3 | owed |\n| D-2 | `b` | m | 0 | |\n").replace("\n", "\r\n"),
    "mixed endings": HEAD.replace("\n", "\r\n") + "| D-1 | `a` | n | 3 | owed |\n| D-2 | `b` | m | 0 | |\r",
    "carriage returns alone": (HEAD + "| D-1 | `a` | n | 3 | owed |\n").replace("\n", "\r"),
    "byte order mark": "\ufeff" + HEAD + "| D-1 | `a` | n | 3 | owed |\n",
    "no final newline": HEAD + "| D-1 | `a` | n | 3 | owed |",
    "trailing blanks": HEAD + "| D-1 | `a` | n | 3 | owed |  \t\n\n\ntext  \n",
    "escaped pipes": HEAD + "| D-1 | `a\\|b` \\\\| | n \\| | 3 | owed |\n",
    "separators": HEAD + "| D-1 | `a` | one\u0085two\u2028\x0c\x0b | 3 | owed |\n",
    "too many cells": HEAD + "| D-1 | `a` | n | 3 | owed | stray | \n",
    "wide letters": HEAD + "| D-1 | `a` | 日本é🐟 | 3 | owed |\n",
    "other tables": HEAD + "| D-1 | `a` | n | 3 | owed |\n\n|  x|y  |\n|-|-|\n|3|3|\n\n```\n| 3 |\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in KEPT.items()])
@pytest.mark.parametrize("whole", [True, False], ids=["whole document", "edited lines"])
def test_every_other_byte_stays(text: str, whole: bool) -> None:
    after = edited(text, CellEdit(3, "rides", "4"), whole=whole)
    assert after == text.replace("| 3 |", "| 4 |", 1)


def test_bytes_that_are_no_text_stay() -> None:
    data = HEAD.encode() + b"| D-1 | `a` | \xff\xfe\x80 | 3 | owed |\n"
    assert apply(data, 1, [CellEdit(3, "rides", "4")], True) == data.replace(b" 3 ", b" 4 ")


@pytest.mark.parametrize(
    ("row", "edit", "message"),
    [
        pytest.param("| D-1 | `a` | n |", CellEdit(3, "rides", "1"), "no `rides` cell", id="a missing cell"),
        pytest.param("| D-1 | `a` | n |", CellEdit(3, "owner", "x"), "no column `owner`", id="a missing column"),
        pytest.param("| D-1 | `a` | n | 1 | x |", CellEdit(9, "rides", "2"), "no line 9", id="a line that is gone"),
        pytest.param("| D-1 | `a` | n | 1 | x |", CellEdit(2, "rides", "2"), "is no row", id="the delimiter row"),
        pytest.param("| D-1 | `a` | n | 1 | x |", CellEdit(3, "note", "a|b"), "bug in gatilho", id="an unescaped pipe"),
        pytest.param("| D-1 | `a` | n | 1 | x |", CellEdit(3, "note", "a\nb"), "bug in gatilho", id="a line ending"),
        pytest.param("D-1 | `a` | n | 1 | x", CellEdit(3, "id", "- D"), "bug in gatilho", id="a list that would begin"),
        pytest.param(
            "D-1 | `a` | n | 1 | x", CellEdit(3, "id", "> D"), "bug in gatilho", id="a quote that would begin"
        ),
    ],
)
@pytest.mark.parametrize("whole", [True, False], ids=["whole document", "edited lines"])
def test_nothing_is_written_where_it_would_not_read_as_meant(
    row: str, edit: CellEdit, message: str, whole: bool
) -> None:
    with pytest.raises(DocumentError, match=message):
        edited(HEAD + row + "\n", edit, whole=whole)


@pytest.mark.parametrize(
    ("raw", "marked"),
    [
        ("D-1", "~~D-1~~"),
        ("**D-1**", "~~**D-1**~~"),
        ("`D-1`", "~~`D-1`~~"),
        ("[D-1](x.md)", "~~[D-1](x.md)~~"),
        ("_D_", "~~_D_~~"),
        ("D~1", "~~D~1~~"),
        ("D-1\u00a0", "~~D-1~~\u00a0"),
        ("\u00a0D-1", "\u00a0~~D-1~~"),
        ("D\\|1", "~~D\\|1~~"),
        ("(D-1)", "~~(D-1)~~"),
        ("Dívida 1", "~~Dívida 1~~"),
    ],
)
def test_a_strike_goes_on_and_comes_off(raw: str, marked: str) -> None:
    assert strike(raw.encode()).decode() == marked
    assert unstrike(marked.encode()).decode() == raw


@pytest.mark.parametrize(
    ("marked", "raw"),
    [
        ("~D-1~", "D-1"),
        ("[~~D-1~~](x.md)", "[D-1](x.md)"),
        ("**~~D-1~~**", "**D-1**"),
        ("~~D-1~~ ", "D-1 "),
        ("~~D~~-1", "D-1"),
        ("D-1", "D-1"),
        ("`~~D-1~~`", "`~~D-1~~`"),
    ],
)
def test_any_strike_comes_off(marked: str, raw: str) -> None:
    assert unstrike(marked.encode()).decode() == raw


def test_a_struck_id_is_not_struck_twice() -> None:
    assert strike(b"[~D-1~](x)") == b"[~D-1~](x)"


@pytest.mark.parametrize("raw", ["~~D~~-1", "", "~D-1", "~~", "~~D-1", "~~~D-1~~~", "`~~D-1~~`"])
def test_what_cannot_be_struck_is_said(raw: str) -> None:
    with pytest.raises(DocumentError):
        strike(raw.encode())


@pytest.mark.parametrize(
    ("text", "cell"), [("a|b", "a\\|b"), ("a\\|b", "a\\\\|b"), ("a\nb\r\nc", "a b c"), (" a ", "a"), ("`x`", "`x`")]
)
def test_escape(text: str, cell: str) -> None:
    assert escape_cell(text) == cell


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_an_escaped_text_reads_as_it_was(text: str) -> None:
    shown = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ").strip(" \t")
    line = f"| D-1 | {escape_cell(text)} | x |".encode()
    cells = [line[start:end] for start, end in split_cells(line)]
    assert len(cells) == 3
    if shown.strip("\x0b\x0c") == shown:
        assert cell_text(cells[1]) == shown


def appended(text: str, header_line: int = 1, **cells: str) -> str:
    table = next(table for table in Document(text.encode()).tables if table.header_line == header_line)
    return append_row(text.encode(), header_line, table.last_line, cells).decode()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(HEAD + "| D-1 | `a` | n | 3 | owed |\n", "| D-2 | `b` | x | | |\n", id="single blanks"),
        pytest.param(HEAD, "| D-2 | `b` | x | | |\n", id="no row yet"),
        pytest.param("|id|trigger|note|\n|-|-|-|\n|D-1|`a`|n|\n", "|D-2|`b`|x|\n", id="no blanks"),
        pytest.param("id | trigger | note\n--|--|--\nD-1 | `a` | n\n", "D-2 | `b` | x\n", id="no outer pipes"),
        pytest.param(
            "| id     | trigger | note  | rides |\n|---|---|---|--:|\n| D-1    | `a`     | 日本  |     3 |\n",
            "| D-2    | `b`     | x     |       |\n",
            id="padded",
        ),
        pytest.param(HEAD + "| D-1 | `a` |\n", "| D-2 | `b` | x | | |\n", id="a ragged row above"),
        pytest.param(HEAD + "| D-1 | `a` | n | 3 | o | s |\n", "| D-2 | `b` | x | | |\n", id="a row with too many cells above"),
    ],
)  # fmt: skip
def test_a_row_is_added_with_the_spacing_of_the_row_above(text: str, line: str) -> None:
    assert appended(text, id="D-2", trigger="`b`", note="x") == text + line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("|id|trigger|note|\n|-|-|-|", "|id|trigger|note|\n|-|-|-|\n|D|a|n|", id="no final newline"),
        pytest.param("|id|trigger|note|\r\n|-|-|-|", "|id|trigger|note|\r\n|-|-|-|\r\n|D|a|n|", id="carriage returns"),
        pytest.param("|id|trigger|note|\r|-|-|-|\r\rx", "|id|trigger|note|\r|-|-|-|\r|D|a|n|\r\rx", id="old carriage returns"),
        pytest.param("\ufeff|id|trigger|note|\n|-|-|-|\n", "\ufeff|id|trigger|note|\n|-|-|-|\n|D|a|n|\n", id="byte order mark"),
        pytest.param("|id|trigger|note|\n|-|-|-|\n> q\n", "|id|trigger|note|\n|-|-|-|\n|D|a|n|\n> q\n", id="a quote below"),
    ],
)  # fmt: skip
def test_a_row_is_added_in_its_place(before: str, after: str) -> None:
    assert appended(before, id="D", trigger="a", note="n") == after


def test_a_row_is_not_added_to_a_column_that_is_not_there() -> None:
    with pytest.raises(DocumentError, match="no column `owner`"):
        append_row(HEAD.encode(), 1, 2, {"id": "D", "owner": "x"})


def test_an_empty_first_cell_gets_a_pipe() -> None:
    text = "kind | id | trigger | note\n--|--|--|--\ntask | D-1 | a | n\n"
    assert appended(text, id="D-2", trigger="b", note="x") == text + "| | D-2 | b | x\n"


def test_a_row_with_an_unescaped_pipe_is_not_added() -> None:
    with pytest.raises(DocumentError, match="bug in gatilho"):
        append_row(HEAD.encode(), 1, 2, {"id": "D", "note": "a|b"})


def test_a_row_that_would_break_the_table_is_not_added() -> None:
    with pytest.raises(DocumentError, match="bug in gatilho"):
        append_row(b"id | trigger | note\n--|--|--\n\nx\n", 1, 2, {"id": "- D", "trigger": "a", "note": "n"})


blanks = st.sampled_from(["", " ", " ", "  ", "     ", "\t", " \t "])
ids = st.sampled_from(["D-1", "**D-2**", "[D-3](x.md)", "`D-4`", "D-5\u00a0", "D_6", "\u00a0D-7"])
notes = st.sampled_from(["n", "a\\|b", "日本 é", "`x\\|y` ~~z~~", "\x0c", "one\u2028two", "a\\\\|", "🐟", "|"[:0]])
rides = st.sampled_from(["0", "9", "99", "007", "12345", "\u00a03"])
states = st.sampled_from(["owed", "devida", "owed (since May)", "OWED"])
endings = st.sampled_from(["\n", "\n", "\r\n", "\r"])
a_row = st.tuples(ids, st.just("`a`"), notes, rides, states, st.lists(blanks, min_size=10, max_size=10), st.booleans())
prose = st.sampled_from(
    ["", "text\n\n", "```\n| 9 |\n```\n", "<!-- | 9 | -->\n\n", "> q\n\n", "- | D-1 |\n\n", "# h\r\n"]
)
documents = st.tuples(
    st.sampled_from(["", "\ufeff"]), prose, endings, st.lists(st.tuples(a_row, endings), min_size=1, max_size=6), prose
)


def assemble(parts) -> tuple[str, int, list[int]]:  # type: ignore[no-untyped-def]
    """A document, the line of its header, and the lines of its rows."""
    mark, before, ending, rows, after = parts
    text = mark + before + HEAD.replace("\n", ending)
    header_line = len((before + "x").encode().splitlines())
    for (*cells, padding, closed), row_ending in rows:
        line = "|"
        for cell, left, right in zip(cells, padding[::2], padding[1::2]):
            # A cell that ends in a backslash needs a blank before its border.
            line += left + cell + (right or " ") + "|"
        text += (line if closed else line[:-1].rstrip()) + row_ending
    numbers = [header_line + 2 + index for index in range(len(rows))]
    return text + ("\n" + after if after else ""), header_line, numbers


@settings(max_examples=200)
@given(documents.map(assemble), st.data())
def test_edits_change_only_the_cells_that_are_meant(built: tuple[str, int, list[int]], data: st.DataObject) -> None:
    text, header_line, numbers = built
    before = text.encode()
    columns = ["id", "trigger", "note", "rides", "state"]
    chosen = data.draw(
        st.dictionaries(
            st.tuples(st.sampled_from(numbers), st.sampled_from(columns)),
            st.sampled_from(["10", "x", "~~D-9~~", "a\\|b", "日本", "x\\", "1234567"]),
            min_size=1,
            max_size=4,
        )
    )
    edits = [CellEdit(line, column, content) for (line, column), content in chosen.items()]
    after = apply(before, header_line, edits, data.draw(st.booleans()))
    old_lines, new_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    assert len(old_lines) == len(new_lines)
    for number, (old, new) in enumerate(zip(old_lines, new_lines), 1):
        changed = {columns.index(column): content for (line, column), content in chosen.items() if line == number}
        if not changed:
            assert old == new
            continue
        assert old[len(old.rstrip(b"\r\n")) :] == new[len(new.rstrip(b"\r\n")) :]
        old_cells, new_cells = ([line[start:end] for start, end in split_cells(line)] for line in (old, new))
        assert len(old_cells) == len(new_cells)
        for cell, (was, now) in enumerate(zip(old_cells, new_cells)):
            assert now.decode().strip() == changed[cell] if cell in changed else now == was


@settings(max_examples=200)
@given(documents.map(assemble), st.data())
def test_paying_and_taking_it_back_restores_every_byte(built: tuple[str, int, list[int]], data: st.DataObject) -> None:
    text, header_line, numbers = built
    before = text.encode()
    line = data.draw(st.sampled_from(numbers))
    raw_line = before.splitlines()[line - 1]
    cells = [raw_line[start:end] for start, end in split_cells(raw_line)]
    raw_id, state = cells[0], cells[4].decode()
    word, _, rest = state.partition(" ")
    paid = ("paga" if word == "devida" else "paid") + (f" {rest}" if rest else "")
    marked = strike(raw_id).decode()
    edits = [CellEdit(line, "id", marked), CellEdit(line, "state", paid)]
    after = apply(before, header_line, edits, True)
    rows, _ = read_rows(after, "a.md")
    assert [row.struck for row in rows if row.line == line] == [True]
    undo = [CellEdit(line, "id", unstrike(marked.encode()).decode()), CellEdit(line, "state", state)]
    assert apply(after, header_line, undo, True) == before
