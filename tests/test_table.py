"""One line of a table: cells, their text, their code spans, the strike."""

import pytest
from github_oracle import github_cell, github_tables
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gatilho.document.entities import decode_entities
from gatilho.document.inline import read_inline
from gatilho.document.table import cell_text, cell_texts, code_spans, split_cells, struck


def texts(line: str) -> list[str]:
    raw = line.encode()
    return [cell_text(raw[start:end]) for start, end in split_cells(raw)]


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        pytest.param("| a | b |", ["a", "b"], id="outer pipes"),
        pytest.param("a | b", ["a", "b"], id="no outer pipes"),
        pytest.param("| a | b", ["a", "b"], id="no pipe at the end"),
        pytest.param("a | b |", ["a", "b"], id="no pipe at the start"),
        pytest.param("   |a|b|  \t", ["a", "b"], id="indent and trailing blanks"),
        pytest.param("| a\t|\tb\t|", ["a", "b"], id="tabs as padding"),
        pytest.param("|||", ["", ""], id="empty cells"),
        pytest.param("||", [""], id="one empty cell"),
        pytest.param("|", [], id="a lone pipe"),
        pytest.param("  ", [], id="blanks"),
        pytest.param("prose", ["prose"], id="no pipe"),
        pytest.param(r"| `a\|b` | c |", ["`a|b`", "c"], id="escaped pipe in a code span"),
        pytest.param(r"| x\\|y | c |", [r"x\|y", "c"], id="two backslashes before a pipe"),
        pytest.param(r"| x\\\|y | c |", [r"x\\|y", "c"], id="three backslashes before a pipe"),
        pytest.param(r"| a\| b | c |", ["a| b", "c"], id="a backslash at the border joins two cells"),
        pytest.param(r"\| a | b |", ["| a", "b"], id="an escaped pipe is no outer pipe"),
        pytest.param("| `a|b` |", ["`a", "b`"], id="an unescaped pipe cuts a code span"),
        pytest.param("| [x|y](z) |", ["[x", "y](z)"], id="an unescaped pipe cuts a link"),
        pytest.param("| `a\\` | s |", ["`a\\`", "s"], id="a code span that ends in a backslash"),
        pytest.param("| a\u00a0|\u00a03 |", ["a\u00a0", "\u00a03"], id="no-break spaces stay"),
        pytest.param("| a\u0085b\u2028c | d |", ["a\u0085b\u2028c", "d"], id="separators stay"),
        pytest.param("|\x0b a \x0c| b |", ["a \x0c", "b"], id="form feeds count only behind a pipe"),
    ],
)
def test_cells(line: str, cells: list[str]) -> None:
    assert texts(line) == cells
    assert cell_texts(line.encode()) == cells


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_line_ending_is_no_content(ending: str) -> None:
    assert texts(f"| a | b{ending}") == ["a", "b"] == cell_texts(f"| a | b{ending}".encode())


@given(st.text(alphabet="|\\ \t\x0b\x0c`aé\u00a0", max_size=25))
def test_cells_are_those_of_github(line: str) -> None:
    header = "| a " * 30
    theirs = github_tables(f"{header}\n{'|---' * 30}\nfirst\nX{line}\n")[0][-1][1]
    ours = texts("X" + line)
    assert [read_inline(text).text.strip() for text in ours] == [cell.text.strip() for cell in theirs[: len(ours)]]
    assert not any(cell.text for cell in theirs[len(ours) :])


@given(
    st.binary(max_size=25).map(lambda raw: raw.replace(b"\x00", b"|").replace(b"\x01", b"\\|").replace(b"\x02", b" "))
)
def test_the_fast_reader_reads_the_same(raw: bytes) -> None:
    line = raw.replace(b"\n", b"").replace(b"\r", b"")
    assert cell_texts(line) == [cell_text(line[start:end]) for start, end in split_cells(line)]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        pytest.param("`a`", ["a"], id="one"),
        pytest.param("`a` or `b`", ["a", "b"], id="two"),
        pytest.param("` a `", ["a"], id="one blank off both ends"),
        pytest.param("`  a  `", [" a "], id="only one blank"),
        pytest.param("` a`", [" a"], id="a blank on one end stays"),
        pytest.param("`   `", ["   "], id="blanks alone stay"),
        pytest.param("`` a`b ``", ["a`b"], id="a longer run"),
        pytest.param("`` a` b", [], id="no run of that length"),
        pytest.param("``", [], id="nothing inside"),
        pytest.param(r"\`a`", [], id="an escaped backtick opens nothing"),
        pytest.param(r"\\`a`", ["a"], id="an escaped backslash escapes nothing"),
        pytest.param(r"`a\`", ["a\\"], id="a backslash inside is text"),
        pytest.param(r"\``a`", ["a"], id="the second backtick opens"),
        pytest.param("`a&#124;b`", ["a&#124;b"], id="an entity inside stays"),
        pytest.param('<a title="`"> `b`', ["b"], id="a backtick in a tag"),
        pytest.param("`<a` `b>`", ["<a", "b>"], id="a tag in a code span"),
    ],
)
def test_code_spans(text: str, spans: list[str]) -> None:
    assert code_spans(text) == spans
    assert github_cell(text).code == spans


def test_many_runs_of_backticks_of_every_length() -> None:
    text = " ".join("`" * length for length in range(1, 300))
    assert code_spans(text) == []
    assert code_spans(f"{text} `") == [text[2:]]


@pytest.mark.parametrize(
    "raw",
    [
        "~~D-1~~", "~D-1~", "~~**D-1**~~", "**~~D-1~~**", "[~~D-1~~](x.md)", "~~[D-1](x.md)~~", "~~`D-1`~~", "*~~D-1~~*",
        '[~~D-1~~](<x y> "t")', "~~_D-1_~~", "\u00a0~~D-1~~\u00a0", "~~D-1~~<!-- c -->", "~~D&#45;1~~", "~~**`D-1`**~~",
    ],
)  # fmt: skip
def test_a_whole_id_is_struck(raw: str) -> None:
    assert struck(raw) == (True, False, "D-1")
    assert github_cell(raw).struck_text.strip() == "D-1"


@pytest.mark.parametrize(
    ("raw", "id"),
    [
        ("D-1", "D-1"),
        ("**D-1**", "D-1"),
        ("`D-1`", "D-1"),
        ("[D-1](x.md)", "D-1"),
        ("D-1\u00a0", "D-1"),
        ("\\~~D-1~~", "~~D-1~~"),
        ("~~~D-1~~~", "~~~D-1~~~"),
        ("~~D-1~", "~~D-1~"),
        ("~~ D-1 ~~", "~~ D-1 ~~"),
        ("`~~D-1~~`", "~~D-1~~"),
        ("<del>D-1</del>", "D-1"),
        ("~~~~", "~~~~"),
        ("", ""),
        ("D_1_x", "D_1_x"),
        ("a & b", "a & b"),
    ],
)
def test_an_id_is_not_struck(raw: str, id: str) -> None:
    assert struck(raw) == (False, False, id)
    if raw:
        assert github_cell(raw).struck_text == ""


@pytest.mark.parametrize(
    ("raw", "id"), [("~~D~~-1", "D-1"), ("~~D-1~~, D-2", "D-1, D-2"), ("x ~D-1~", "x D-1"), ("~~D~~ `1`", "D 1")]
)
def test_an_id_is_struck_in_part(raw: str, id: str) -> None:
    assert struck(raw) == (False, True, id)


def test_text_that_is_too_long_for_an_id_is_not_taken_apart() -> None:
    raw = "~~" + "x " * 300 + "~~"
    assert struck(raw) == (False, True, raw)


pieces = st.sampled_from(
    ["~", "~~", "~~~", "*", "**", "***", "_", "__", "`", "``", " ", "D", "-1", "x", "\\", "[D](x)", ".", "(", "\u00a0", "é",
     "&amp;", "\\|", "—", "<b>", "</b>", "<x@y.z>", "<https://h.i/~~>", "<!-- ~~ -->", '"', "%", "$"]
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(pieces, min_size=1, max_size=9).map("".join))
def test_what_is_shown_and_struck_is_as_on_github(raw: str) -> None:
    assume(raw.strip() and not raw.endswith("\\"))
    theirs = github_cell(raw)
    text = cell_text(raw.strip(" \t").encode())
    read = read_inline(text)
    assert read.text.strip() == theirs.text.strip()
    marks = [mark for letter, mark in zip(read.text, read.marks) if not letter.isspace()]
    assert marks == [mark for letter, mark in zip(theirs.text, theirs.marks) if not letter.isspace()]
    assert read.code == theirs.code == code_spans(text)
    whole, partly, id = struck(text)
    assert (whole, partly, id) == (bool(marks) and all(marks), any(marks) and not all(marks), theirs.text.strip())


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("a&#124;b", "a|b"),
        ("a&vert;b", "a|b"),
        ("a&#x7C;b", "a|b"),
        ("a&amp;vert;b", "a&vert;b"),
        ("a & b; c", "a & b; c"),
        ("&nosuchname;", "&nosuchname;"),
        ("&#xZZ; &#12345678; &; &#;", "&#xZZ; &#12345678; &; &#;"),
        ("&#0;", "\ufffd"),
    ],
)
def test_entities(text: str, decoded: str) -> None:
    assert decode_entities(text) == decoded
    assert read_inline(text).text == decoded
