"""The block rules that GitHub renders differently from mistune: which lines start a block, and where it ends.

Each rule is a function of mistune's kind: it gets the parser, the match and the state, and returns where the block
ends, or None where the line is text after all. What matters later is noted in the state as (kind, start, end).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from mistune.block_parser import BlockParser
    from mistune.core import BlockState

    from gatilho.document.containers import Starts

    Rule = Callable[[BlockParser, "re.Match[str]", BlockState], int | None]

# Blanks are taken whole and never given back, or a long line of them would be tried again at each place.
_MARKER = r"[ \t\v\f]*+:?-++:?[ \t\v\f]*+"
_DELIMITER = rf"^ {{0,3}}\|?{_MARKER}(?:\|{_MARKER})*\|?[ \t\v\f]*$"

_ITEM = r"(?:[*+-]|\d{1,9}[.)])(?=[ \t]|$)"

# What a row may hold that begins with a pipe: anything but blanks alone. Nothing else can begin with a pipe.
_PIPED_ROWS = r"(?: {0,3}\|[ \t\v\f]*+[^ \t\v\f\n][^\n]*+\n)*+"

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|link|"
    "main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|section|source|title|summary|table|tbody|td|tfoot|th|"
    "thead|tr|track|ul"
)

_VALUE = r"""(?:[^ \t\r\n\v\f"'=<>`]++|'[^'\n]*'|"[^"\n]*")"""
_ATTRIBUTE = rf"[ \t\v\f]++[a-zA-Z_:][a-zA-Z0-9:._-]*+(?:[ \t\v\f]*=[ \t\v\f]*{_VALUE})?"
_TAG = rf"(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*[ \t\v\f]*/?|/[A-Za-z][A-Za-z0-9-]*+[ \t\v\f]*)"

SPECIFICATION = {
    "blank_line": r"(?:^[ \t]*\n)+",
    "block_quote": r"^ {0,3}>",
    "atx_heading": r"^ {0,3}#{1,6}(?:[ \t][^\n]*)?$",
    "fenced_code": r"^(?P<fenced_1> {0,3})(?P<fenced_2>`{3,}(?=[^`\n]*$)|~{3,})[ \t]*(?P<fenced_3>.*?)$",
    "raw_html": (
        r"^ {0,3}<(?:(?P<html_text>(?i:script|pre|style|textarea)(?=[ \t\v\f>]|$))"
        r"|(?P<html_comment>!--)|(?P<html_question>\?)|(?P<html_declaration>![A-Z])|(?P<html_data>(?i:!\[CDATA\[))"
        rf"|(?P<html_block>/?(?i:{_BLOCK_TAGS})(?=[ \t\v\f]|/?>|$)))"
    ),
    "html_tag": rf"^ {{0,3}}<{_TAG}>[ \t\f]*$",
    "setex_heading": r"^ {0,3}(?:=+|-+)[ \t]*$",
    "list": rf"^ {{0,3}}{_ITEM}",
    "code_line": r"^(?: {4}| {0,3}\t)[ \t]*+[^\n]+$",
    "table": _DELIMITER,
}

_HTML_ENDS = {
    "html_text": r"(?i:</(?:script|pre|style|textarea)>)",
    "html_comment": "-->",
    "html_question": r"\?>",
    "html_declaration": ">",
    "html_data": r"\]\]>",
}

_DEFINITION = r"""
    \[ (?! [ \t\n]* \] ) (?: [^\\\[\]] | \\. ){1,999} \] :
    [ \t]*+ \n?+ [ \t]*+ (?: < (?: [^<>\\\n] | \\. )* > | (?! < ) [^ \t\n]+ )
    (?: (?: [ \t]++ \n?+ [ \t]*+ | \n [ \t]*+ )
        (?: " (?: [^"\\] | \\. )* " | ' (?: [^'\\] | \\. )* ' | \( (?: [^()\\] | \\. )* \) ) [ \t]* \n
    | [ \t]* \n )
"""


def _starts(block: "BlockParser") -> "Starts":
    """How the lines inside containers are classified: by the same patterns as those outside."""
    import re

    from gatilho.document.containers import Starts

    starts = block.__dict__.get("gatilho_starts")
    if starts is None:
        names = ["atx_heading", "fenced_code", "raw_html", "html_tag", "thematic_break", "setex_heading"]
        delimiter = re.compile(block.specification["table"])
        starts = Starts(block.compile_sc(names), re.compile(_ITEM), delimiter, _html_ends, only_definitions)
        block.__dict__["gatilho_starts"] = starts
    return starts


def _parse_container(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int:
    from gatilho.document.containers import container_end

    end = container_end(state.src, match.start(), _starts(block))
    state.append_token({"type": "container"})
    state.env["spans"].append(("container", match.start(), end))
    return end


def _parse_heading(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int:
    state.append_token({"type": "heading"})
    return match.end() + 1


def _parse_list(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int | None:
    """A list starts here, unless an open paragraph goes on: only a list from 1 with some text may interrupt it."""
    if _in_paragraph(state):
        marker = match.group().strip(" ")
        rest = state.src[match.end() : state.find_line_end_at(match.end())]
        if not rest.strip(" \t\n") or (marker[:-1] and int(marker[:-1]) != 1):
            return state.append_paragraph()
    return _parse_container(block, match, state)


def _parse_fence(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int | None:
    import re

    end = block.parse_fenced_code(match, state)
    marker = match.group("fenced_2")
    closing = re.compile(rf"^ {{0,3}}{marker[0]}{{{len(marker)},}}[ \t]*$", re.MULTILINE)
    if end == state.cursor_max and not closing.search(state.src, match.end() + 1):
        state.env["spans"].append(("fence", match.start(), state.cursor_max))
    return end


def _parse_html(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int:
    start = match.start()
    state.append_token({"type": "block_html"})
    if match.group("html_block") is not None:
        return _end_at_blank_line(state, start)
    closing = _html_closing(match).search(state.src, start)
    if closing:
        return state.find_line_end_at(closing.end())
    state.env["spans"].append(("comment", start, state.cursor_max))
    return state.cursor_max


def _end_at_blank_line(state: "BlockState", start: int) -> int:
    import re

    blank = re.compile(r"^[ \t]*\n", re.MULTILINE).search(state.src, start)
    end = blank.start() if blank else state.cursor_max
    state.env["spans"].append(("html", start, end))
    return end


def _html_closing(match: "re.Match[str]") -> "re.Pattern[str]":
    import re

    return re.compile(next(end for name, end in _HTML_ENDS.items() if match.group(name) is not None))


def _html_ends(match: "re.Match[str]", line: str) -> bool:
    """Whether a line ends the block that the match opened; those up to a blank line are ended by nothing else."""
    if match.lastgroup != "raw_html" or match.group("html_block") is not None:
        return False
    return _html_closing(match).search(line) is not None


def _parse_html_tag(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int | None:
    if _in_paragraph(state):
        return state.append_paragraph()
    state.append_token({"type": "block_html"})
    return _end_at_blank_line(state, match.start())


def _parse_underline(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int | None:
    """An underline makes a heading of an open paragraph, unless that holds nothing but link definitions."""
    if not _in_paragraph(state):
        other = block.compile_sc(["thematic_break", "list"]).match(state.src, match.start())
        return block.parse_method(other, state) if other else None
    paragraph = state.last_token()
    if only_definitions(state.src[paragraph["start"] : match.start()]):
        paragraph["start"] = match.start()
        return state.append_paragraph()
    state.append_token({"type": "heading"})
    return match.end() + 1


def only_definitions(text: str) -> bool:
    """Whether a paragraph is nothing but link definitions, which GitHub takes out of it before it becomes a heading."""
    import re

    definition = re.compile(_DEFINITION, re.VERBOSE)
    text = re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE)
    place = 0
    while place < len(text):
        found = definition.match(text, place)
        if not found:
            return False
        place = found.end()
    return True


def _parse_code_line(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int:
    end = state.append_paragraph()
    if end:
        return end
    state.append_token({"type": "block_code"})
    state.env["spans"].append(("code", match.start(), match.end() + 1))
    return match.end() + 1


def _in_paragraph(state: "BlockState") -> bool:
    last = state.last_token()
    return bool(last and last["type"] == "paragraph")


def _parse_table(block: "BlockParser", match: "re.Match[str]", state: "BlockState") -> int | None:
    """A delimiter row behind the last line of a paragraph makes that line a table's header."""
    from gatilho.document.containers import same_width

    if not _in_paragraph(state) or state.last_token()["no_table"]:
        return None
    header_start = state.src.rfind("\n", 0, match.start() - 1) + 1
    header = state.src[header_start : match.start() - 1].lstrip(" \t")
    if not same_width(header, match.group().lstrip(" ")):
        # GitHub's parser tries once for each paragraph.
        state.last_token()["no_table"] = True
        return None
    end = _rows_end(block, state, match.end() + 1)
    _cut_off_text(state.env["spans"], header_start)
    state.append_token({"type": "table"})
    state.env["spans"].append(("table", header_start, end))
    return end


def _cut_off_text(spans: list[tuple[str, int, int]], header_start: int) -> None:
    """Take the header out of the text that was noted before the delimiter row was seen."""
    while spans and spans[-1][0] == "text" and spans[-1][2] > header_start:
        _, start, _ = spans.pop()
        if start < header_start:
            spans.append(("text", start, header_start))


def _rows_end(block: "BlockParser", state: "BlockState", place: int) -> int:
    """The end of a table whose rows start at that place: a blank line, the start of another block, or a lone pipe."""
    import re

    piped = re.compile(_PIPED_ROWS)
    other = block.compile_sc([name for name in block.rules if name not in ("setex_heading", "table")])
    while place < state.cursor_max:
        found = piped.match(state.src, place)
        assert found is not None
        place = found.end()
        line = state.get_line(place)
        if not line or other.match(state.src, place) or _is_lone_pipe(line):
            break
        place += len(line)
    return place


def _is_lone_pipe(line: str) -> bool:
    return line.count("|") == 1 and not line.strip("| \t\v\f\n")


# In GitHub's order: of two rules that match one line the first decides. None: mistune's own.
RULES: "dict[str, Rule | None]" = {
    "blank_line": None,
    "block_quote": _parse_container,
    "atx_heading": _parse_heading,
    "fenced_code": _parse_fence,
    "raw_html": _parse_html,
    "html_tag": _parse_html_tag,
    "setex_heading": _parse_underline,
    "thematic_break": None,
    "list": _parse_list,
    "code_line": _parse_code_line,
    "table": _parse_table,
}
