"""Tables are found exactly where GitHub renders them."""

import pytest
from github_oracle import github_tables
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.document.blocks import Block
from gatilho.document.document import Document
from gatilho.document.inline import read_inline
from gatilho.document.table import cell_text, split_cells

HEAD = "| id | trigger | note |\n|---|---|---|\n"
ROW = "| D-1 | `a` | one |\n"


def spans(text: str) -> list[tuple[int, int]]:
    return [(table.header_line, table.last_line) for table in Document(text.encode()).tables]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(HEAD + ROW, [(1, 3)], id="a table alone"),
        pytest.param(HEAD, [(1, 2)], id="a header alone"),
        pytest.param(HEAD + ROW.rstrip("\n"), [(1, 3)], id="no final newline"),
        pytest.param("words\n" + HEAD + ROW, [(2, 4)], id="a paragraph glued to the header"),
        pytest.param("\ufeff" + HEAD + ROW, [(1, 3)], id="byte order mark before the header"),
        pytest.param("id | t\n--|--\nD-1 | a\n", [(1, 3)], id="no outer pipes"),
        pytest.param("id\n:--\nD-1\n", [(1, 3)], id="no pipes at all"),
        pytest.param("   | id | t |\n   |---|---|\n   | D-1 | a |\n", [(1, 3)], id="indented by three"),
        pytest.param("| id |\n| --- |\n||\n", [(1, 3)], id="a row of one empty cell"),
        pytest.param("| id |\n| --- |\n|\n| D-1 |\n", [(1, 2)], id="a lone pipe ends the table"),
        pytest.param(HEAD + "prose\n" + ROW, [(1, 4)], id="prose below is one more row"),
        pytest.param(HEAD + ROW + HEAD + ROW, [(1, 6)], id="a second header right below is a row"),
        pytest.param(HEAD + ROW + "\n" + HEAD + ROW, [(1, 3), (5, 7)], id="two tables"),
        pytest.param(HEAD + ROW + "=======\n" + ROW, [(1, 5)], id="equals signs underline nothing in a table"),
        pytest.param(HEAD + ROW + "---\n" + ROW, [(1, 3)], id="a break ends the table"),
        pytest.param(HEAD + ROW + "<!-- c -->\n" + ROW, [(1, 3)], id="a comment ends the table"),
        pytest.param(HEAD + ROW + "<b>\n" + ROW, [(1, 3)], id="any tag on a line of its own ends the table"),
        pytest.param(HEAD + ROW + "> q\n" + ROW, [(1, 3)], id="a quote ends the table and takes the next line"),
        pytest.param(HEAD + ROW + "7. x\n", [(1, 3)], id="a list ends the table"),
        pytest.param(HEAD + ROW + "    | D-2 |\n", [(1, 3)], id="a line indented by four ends the table"),
        pytest.param("---\ntitle: x\n---\n" + HEAD + ROW, [(4, 6)], id="front matter before"),
        pytest.param("title | x\n---\n" + HEAD, [(3, 4)], id="underlined heading before"),
        pytest.param("> q\n\n" + HEAD, [(3, 4)], id="a quote that ended"),
        pytest.param("- item\n\n" + HEAD, [(3, 4)], id="a list that ended"),
        pytest.param("<details>\n\n" + HEAD + ROW + "\n</details>\n", [(3, 5)], id="in details with blank lines"),
        pytest.param("<!-- c -->\n" + HEAD, [(2, 3)], id="right below a comment"),
        pytest.param("```\n```\n" + HEAD, [(3, 4)], id="right below a fence"),
        pytest.param("    code\n" + HEAD, [(2, 3)], id="right below indented code"),
        pytest.param("<textarea>\n</style>\n" + HEAD, [(3, 4)], id="any end tag of raw text ends raw text"),
        pytest.param("words\n2. x\n" + HEAD, [(3, 4)], id="an item that is not the first interrupts no text"),
        pytest.param("words\n*\n" + HEAD, [(3, 4)], id="an empty item interrupts no text"),
        pytest.param("- x\n# h\n" + HEAD, [(3, 4)], id="a heading ends a list"),
        pytest.param("- x\n#\n" + HEAD, [(3, 4)], id="an empty heading ends a list"),
        pytest.param("[a]: /u\n===\n2. x\n" + HEAD, [(4, 5)], id="definitions leave nothing to underline"),
    ],
)
def test_tables_are_found(text: str, expected: list[tuple[int, int]]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("| id | t | n |\n|---|---|\n| D-1 | a | 0 |\n", id="delimiter one cell short"),
        pytest.param("| a | b | c |\n|---|---|\n|---|---|\n", id="a second delimiter row that would fit"),
        pytest.param("| id | t |\n|\u00a0---|---|\n", id="no-break space in the delimiter row"),
        pytest.param("| id | t |\n| --- |-- -|\n", id="blank inside a delimiter"),
        pytest.param("- | id | t |\n  |---|---|\n", id="in a list item"),
        pytest.param("> | id | t |\n> |---|---|\n", id="in a quote"),
        pytest.param("- item\n\n\n  | id | t |\n  |---|---|\n", id="in a list item behind blank lines"),
        pytest.param("> q\n" + HEAD, id="a lazy line of a quote"),
        pytest.param("- item\n" + HEAD, id="a lazy line of a list"),
        pytest.param("<details>\n" + HEAD + "</details>\n", id="in details without a blank line"),
        pytest.param("```\n" + HEAD + "```\n", id="in a fence"),
        pytest.param("~~~md\n" + HEAD + "~~~\n", id="in a tilde fence"),
        pytest.param("````\n```\n" + HEAD + "```\n````\n", id="in a longer fence around a fence"),
        pytest.param("```\n" + HEAD + ROW, id="in a fence that is never closed"),
        pytest.param("<!--\n\n" + HEAD + "\n-->\n", id="in a comment"),
        pytest.param("    | id | t |\n    |---|---|\n", id="in indented code"),
        pytest.param("<script>\n\n" + HEAD + "</script>\n", id="in a script"),
        pytest.param("id\n---\n", id="an underlined heading"),
        pytest.param("| a | b | c |\n|---|---|\n|---|---|\n", id="GitHub tries one delimiter row for each paragraph"),
        pytest.param("<div/>x\n" + HEAD, id="below a tag that closes itself"),
    ],
)
def test_what_is_no_table(text: str) -> None:
    assert Document(text.encode()).tables == []


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_every_line_ending_counts(ending: str) -> None:
    assert spans((HEAD + ROW).replace("\n", ending)) == [(1, 3)]


def test_mixed_line_endings() -> None:
    text = "| id | t |\r\n|---|---|\r| a | b |\n\r\n| id | t |\n|---|---|"
    assert spans(text) == [(1, 3), (5, 6)]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"a\nb", [b"a", b"b"], id="no final newline"),
        pytest.param(b"a\n\n", [b"a", b""], id="blank line at the end"),
        pytest.param(b"a\r\nb\rc\nd\r", [b"a", b"b", b"c", b"d"], id="every ending"),
        pytest.param(b"\r\r\n\n\r", [b"", b"", b"", b""], id="endings alone"),
        pytest.param("a\u2028b\x85c\x0cd".encode(), ["a\u2028b\x85c\x0cd".encode()], id="no other separator"),
    ],
)
def test_lines(data: bytes, lines: list[bytes]) -> None:
    document = Document(data)
    assert document.lines == lines
    assert [data[slice(*document.span(number))] for number in range(1, len(lines) + 1)] == lines


def test_a_byte_order_mark_belongs_to_no_line() -> None:
    document = Document(b"\xef\xbb\xbf| id |\r\n|-|")
    assert [document.line(number) for number in range(4)] == [b"", b"| id |", b"|-|", b""]
    assert [document.span(number) for number in (1, 2)] == [(3, 9), (11, 14)]


def test_the_cells_of_a_row_are_spans_of_its_line() -> None:
    document = Document((HEAD + "| ~~D-1~~ | `a\\|b`\n").encode())
    assert document.cells(3, 1) == {"id": (2, 9), "trigger": (12, 18)}
    assert document.table_of(3) is document.tables[0]
    assert document.table_of(2) is None


@pytest.mark.parametrize("separator", ["\u0085", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_no_other_separator_ends_a_line(separator: str) -> None:
    assert spans(HEAD + f"| D-1 | `a` | one{separator}two |\n" + ROW) == [(1, 4)]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        pytest.param("```\n| a |\n", [Block("fence", 1, 2)], id="fence without an end"),
        pytest.param("   ```\n   | a |\n", [Block("fence", 1, 2)], id="indented fence without an end"),
        pytest.param("```\n| a |\n```", [], id="fence with an end"),
        pytest.param("```\n| a |\n````\n", [], id="fence with a longer end"),
        pytest.param("<!--\n| a |\n", [Block("comment", 1, 2)], id="comment without an end"),
        pytest.param("<!--\n| a |\n-->\n", [], id="comment with an end"),
        pytest.param("<div>\n| a |\n", [Block("html", 1, 2)], id="tag without a blank line"),
        pytest.param("x\n| a |\n", [Block("text", 1, 2)], id="paragraph"),
        pytest.param("> x\n| a |\n", [Block("container", 1, 2)], id="quote"),
        pytest.param("    | a |\n", [Block("code", 1, 1)], id="indented code"),
        pytest.param("no pipe\n", [], id="no pipe"),
    ],
)
def test_blocks_in_which_a_table_may_have_been_meant(text: str, blocks: list[Block]) -> None:
    assert Document(text.encode()).blocks.others == blocks


def test_a_header_is_no_text_any_more() -> None:
    found = Document(("words | more\n" + HEAD).encode()).blocks
    assert found.tables == [Block("table", 2, 3)]
    assert found.others == [Block("text", 1, 1)]


PREFIXES = ["", "", "", "", " ", "   ", "    ", "\t", "> ", ">", "- ", "  ", "* ", "1. ", "10) ", "> - ", "- > ", "-\t"]
PREFIXES += [">\t", "  - ", "      ", " \t", "-     "]
TABLE_LINES = ["| a | b |", "|---|---|", "|---|---|", "| --- | :-: |", "a | b", "--- | ---", "| ~~D-1~~ | b |", "|---|"]
OTHER_LINES = [
    "| x | y | z |",
    "text",
    "```",
    "~~~",
    "````",
    "``` js",
    "```a`",
    "<!--",
    "-->",
    "<!-- c -->",
    "<div>",
    "</div>",
    "<b>",
    "<b>x",
    "<pre>",
    "</pre>",
    "</style>",
    "<textarea>",
    "<?x",
    "?>",
    "<!X",
    "<![CDATA[",
    "]]>",
    "# h",
    "#h",
    "===",
    "---",
    "--",
    "-",
    "***",
    "* * *",
    "___",
    "[a]: b",
    '[a]: b "t"',
    "[a]:",
    "| \\| |",
    "| `x\\|y` | `a|b` |",
    "|",
    "||",
    "x | \\",
    "1.",
    "- |",
    "-|-",
    ":-:",
    "2. y",
    "\\| a",
    "\\\\| a",
    "é | 日本",
    '<a href="x">',
    "<x y='",
    "</details>",
    "| ~D-2~ | ~~~x~~~",
    "| ~~a~ | ~~b~~ c |",
    "| &#124; | `&amp;` |",
]
OTHER_LINES += ["", "", "   ", "\x0b| a |", "\x0c", "\u00a0| a | b |", "|\u00a0---|---|", "a\u0085b | c", "a\u2028| c"]

a_line = st.tuples(st.sampled_from(PREFIXES), st.sampled_from(TABLE_LINES) | st.sampled_from(OTHER_LINES))
an_ending = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
front = st.sampled_from(["", "", "", "\ufeff", "---\ntitle: x\n---\n"])
documents = st.tuples(front, st.lists(st.tuples(a_line, an_ending), min_size=2, max_size=14), st.booleans())


def assemble(parts: tuple[str, list[tuple[tuple[str, str], str]], bool]) -> str:
    before, lines, final = parts
    text = before + "".join(prefix + body + ending for (prefix, body), ending in lines)
    return text if final else text.rstrip("\r\n")


def our_tables(text: str) -> list[list[tuple[int, list[str]]]]:
    data = text.encode()
    document = Document(data)
    tables = []
    for table in document.tables:
        count = table.columns.count
        numbers = [table.header_line, *table.row_lines]
        rows = []
        for number in numbers:
            line = document.line(number)
            cells = [cell_text(line[start:end]) for start, end in split_cells(line)]
            rows.append((number, (cells + [""] * count)[:count]))
        tables.append(rows)
    return tables


def shown(cell: str) -> tuple[str, str]:
    read = read_inline(cell)
    return read.text.strip(), "".join(letter for letter, mark in zip(read.text, read.marks) if mark)


@settings(max_examples=400)
@given(documents.map(assemble))
def test_tables_cells_and_strikes_are_those_of_github(text: str) -> None:
    ours, theirs = our_tables(text), github_tables(text)
    assert [[line for line, _ in table[1:]] for table in ours] == [[line for line, _ in table[1:]] for table in theirs]
    for our_table, their_table in zip(ours, theirs):
        for (_, our_cells), (_, their_cells) in zip(our_table, their_table):
            assert len(our_cells) == len(their_cells)
            for our_cell, their_cell in zip(our_cells, their_cells):
                # A bracket is read without a look at the document's link definitions.
                if "[" not in our_cell:
                    assert shown(our_cell) == (their_cell.text.strip(), their_cell.struck_text)


@settings(max_examples=200)
@given(st.text(alphabet="|-: \n\tab`>\\~<!", max_size=60))
def test_tables_of_any_text_are_those_of_github(text: str) -> None:
    try:
        theirs = github_tables(text)
    except AssertionError:
        return  # raw text that no browser would close either
    assert [[line for line, _ in table[1:]] for table in our_tables(text)] == [
        [line for line, _ in table[1:]] for table in theirs
    ]


def test_a_long_table_is_one_table() -> None:
    text = HEAD + ROW * 3000 + "\n" + "x | y\n" * 500
    assert spans(text) == [(1, 3002)]


@pytest.mark.parametrize("levels", [99, 100, 150])
def test_lists_nest_no_deeper_than_on_github(levels: int) -> None:
    text = "- " * levels + "```\n" + HEAD + ROW
    assert [len(table) for table in our_tables(text)] == [len(table) for table in github_tables(text)]
