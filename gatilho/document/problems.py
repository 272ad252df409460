"""The problems of a line of a table: where it is wrong, how, and what to do."""

from gatilho.document.cells import read_lifecycle, read_number
from gatilho.document.columns import NAMES, Columns, canonical, lacks_by_slip
from gatilho.document.table import MARKERS, cell_text, cell_texts, code_spans, raw_text, split_cells
from gatilho.lifecycle.states import read_state
from gatilho.model import Place, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.document.document import Document

# What costs a row or a part of it; the rest is a warning.
_ERRORS = frozenset(
    (
        "GT101", "GT103", "GT106", "GT107", "GT111", "GT113", "GT114", "GT117", "GT122",
        "GT126", "GT127", "GT128", "GT129",
    )
)  # fmt: skip

# Characters: each cell is looked at together with those before it, and a line may have any number of them.
_MOST_LOOKED_AT = 200_000
# What a row seems to have when a cell is missing before the others.
_OF_SHIFTED_CELLS = (
    "GT104", "GT107", "GT108", "GT109", "GT110", "GT111", "GT112", "GT113", "GT117", "GT118", "GT121", "GT130",
)  # fmt: skip

_MARKER = "a conflict marker: nothing is written to this file"


class LineProblems:
    """One line of a document with its cells and its place, to which problems are attached."""

    __slots__ = ("raw", "file", "number", "problems", "row_id")

    def __init__(self, raw: bytes, file: str, number: int) -> None:
        self.raw = raw
        self.file = file
        self.number = number
        self.problems: list[Problem] = []
        self.row_id = ""

    def add_problem(self, code: str, message: str, remedy: str, cell: int | None = None, to_end: bool = False) -> None:
        """Note a problem with a cell, with everything from that cell on (to_end), or with the whole line."""
        start, end = 0, len(self.raw)
        spans = split_cells(self.raw)
        if cell is not None and cell >= len(spans):
            start = end
        elif cell is not None and cell >= 0:
            start, end = spans[cell][0], spans[-1 if to_end else cell][1]
        before, inside = raw_text(self.raw[:start]), raw_text(self.raw[start:end])
        place = Place(self.file, self.number, len(before) + 1)
        severity = "error" if code in _ERRORS else "warning"
        text = raw_text(self.raw)
        self.problems.append(Problem(code, severity, place, message, remedy, text, max(len(inside), 1), self.row_id))


def problem_of_line(
    raw: bytes, file: str, number: int, code: str, message: str, remedy: str, cell: int | None = None
) -> list[Problem]:
    """Return the one problem of a line, with a cell of it or with all of it."""
    line = LineProblems(raw, file, number)
    line.add_problem(code, message, remedy, cell)
    return line.problems


class RowLine(LineProblems):
    """A line below a header. columns: of the header, which has `count` cells. there: how many of its own can be read.

    texts: of its cells; an empty one after them, the last, serves each column that the table does not have.
    """

    __slots__ = ("columns", "count", "texts", "there")

    def __init__(self, raw: bytes, file: str, number: int, columns: Columns) -> None:
        super().__init__(raw, file, number)
        self.columns = columns
        self.texts = texts = cell_texts(raw)
        self.there = there = len(texts)
        self.count = columns.count
        texts += [""] * (self.count + 1 - there) if there <= self.count else [""]

    def text(self, column: str) -> str:
        """Return the text of the cell in a column, "" where the table has no such column."""
        return self.texts[self.columns.get(column, -1)]

    def add(self, code: str, message: str, remedy: str, column: str) -> None:
        """Note a problem with the cell in a column, with the whole line where the table has no such column."""
        self.add_problem(code, message, remedy, self.columns.get(column, -1))


def is_row(line: RowLine, id: str) -> bool:
    """Return whether a line below a header is a row; says what else it is."""
    beginning = line.raw.lstrip(b" \t")[:2]
    if beginning in (b"<<", b"==", b">>", b"||") and _is_conflict_marker(line.raw):
        line.add_problem("GT122", _MARKER, "resolve it, or run `gatilho resolve`")
    elif beginning[:1] != b"|" and (" " in id or not (line.text("trigger") or line.text("note"))):
        message = "GitHub reads this line as part of the table above it, but it is not a row"
        line.add_problem("GT102", message, "put a blank line before it, or write it as a row with its cells")
    elif not id:
        if any(line.texts):
            message = "the row has no id and is left out"
            line.add("GT101", message, "give it one, such as D-7f3k: letters, digits and hyphens", "id")
    elif _is_header(line, id):
        message = "a header among the rows: the lines below it are read by the first header"
        line.add_problem("GT123", message, "put a blank line before it if another table begins here, else remove it")
    else:
        return True
    return False


def _is_conflict_marker(raw: bytes) -> bool:
    if raw.rstrip() == b"=======":
        return True
    return raw[:7] in (b"<<<<<<<", b">>>>>>>", b"|||||||") and raw[7:8] == b" " and b"|" not in raw[8:]


def find_markers(document: "Document", file: str) -> list[Problem]:
    """Return the first line that looks like a conflict marker, wherever it is: the whole file is not written then."""
    if not any(marker in document.data for marker in MARKERS):
        return []
    for number, raw in enumerate(document.lines, 1):
        if raw.startswith(MARKERS):
            remedy = "resolve it, or run `gatilho resolve`; put a blank before a mere example"
            return problem_of_line(raw, file, number, "GT122", _MARKER, remedy)
    return []


def _is_header(line: RowLine, id: str) -> bool:
    if not id.strip("-:"):
        return not any(text.strip("-: ") for text in line.texts)
    return canonical(id) == "id" and canonical(line.text("trigger")) == "trigger"


def find_cut_span(texts: list[str]) -> tuple[int, int] | None:
    """Return the numbers of the cells in which the first cut code span begins and ends."""
    left = _MOST_LOOKED_AT
    for number, text in enumerate(texts):
        end, left = _end_of_cut(texts, number, left) if "`" in text else (None, left)
        if end is not None:
            # A cell before it whose spans are whole is no part of it.
            while number + 1 < end:
                next_end, left = _end_of_cut(texts, number + 1, left)
                if next_end != end:
                    break
                number += 1
            return number, end
    return None


def _end_of_cut(texts: list[str], start: int, left: int) -> tuple[int | None, int]:
    """Return the number of the cell in which a code span ends that began in that cell, or in one after it.

    left: how many characters may be looked at, of which the rest is returned, too; then no such cell is found.
    """
    parts, apart = [texts[start]], len(code_spans(texts[start]))
    for number in range(start + 1, len(texts) if left > 0 else 0):
        parts.append(texts[number])
        if "`" in texts[number]:  # no other cell ends a span
            joined, apart = "|".join(parts), apart + len(code_spans(texts[number]))
            left -= len(joined)
            if left < 0 or len(code_spans(joined)) > apart:
                return (None if left < 0 else number), left
    return None, left


def check_cells(line: RowLine) -> bool:
    """Report a wrong number of cells, and empty those after a cut code span; return whether no span is cut."""
    # A cut code span adds a cell, which can hide that another one is missing: the right number proves little.
    if line.there == line.count and not _may_be_cut(line.raw):
        return True
    cut = find_cut_span(line.texts)
    if cut is None:
        if line.there != line.count:
            _add_count_problem(line)
        return True
    message = "a pipe cuts this code span: this cell and all after it are not read"
    line.add_problem("GT106", message, "put a backslash before the pipe: \\|, or run `gatilho check --fix`", cut[0])
    # Off by one, each of them would be taken for its neighbour.
    line.texts[cut[0] :] = [""] * (len(line.texts) - cut[0])
    line.there = cut[0]
    return False


def _may_be_cut(raw: bytes) -> bool:
    """Return whether a code span may begin in one cell and end in another: backticks around a pipe, or in runs."""
    inside = raw.replace(b"\\|", b"").split(b"`")[1::2]
    return b"|" in b"".join(inside) or b"``" in raw


def _add_count_problem(line: RowLine) -> None:
    """Say that a row has too few or too many cells."""
    there, count = line.there, line.count
    if there > count:
        message = f"the row has {there} cells, the header {count}: the extra cells are ignored"
        remedy = "remove it, or put a backslash before a pipe that is text: \\|"
        line.add_problem("GT105", message, remedy, count, to_end=True)
        return
    missing = [name for name in NAMES if line.columns.get(name, -1) >= there]
    names = f": no {', '.join(map(line.columns.called, missing))}" if missing else ""
    message = f"the row has {there} of {count} cells{names}. A missing cell counts as empty and is never written"
    line.add_problem("GT104", message, "add the missing cells, or run `gatilho check --fix`", there)


def drop_followers(line: RowLine) -> None:
    """Drop what the cells after the note seem to have in a row with too many cells: a pipe in a text shifts them."""
    if any(one.code == "GT105" for one in line.problems):
        note = len(raw_text(line.raw[: split_cells(line.raw)[line.columns["note"]][1]]))
        line.problems = [one for one in line.problems if one.code not in _OF_SHIFTED_CELLS or one.place.column <= note]


def states_differ(lifecycle: str, whole: bool, state: str) -> bool:
    """Return whether a state does not go with the strike or with the lifecycle."""
    if whole:
        return state in ("owed", "rule") or (lifecycle == "rule" and state not in ("superseded", "revoked"))
    return state == "paid" or (state == "owed" and lifecycle == "rule") or (state == "rule" and lifecycle == "debt")


def find_gap(columns: dict[str, int], texts: list[str]) -> str:
    """Return the column whose cell a row lacks although cells after it are there, "" where that explains nothing.

    texts: of the cells that are there. With that one cell empty, each other one has to suit its column.
    """
    there = len(texts)
    found = [(index, name) for name, index in columns.items() if index < there]
    # A trigger without backticks may just be that.
    if all(name == "trigger" or _suits(name, texts[index], False) for index, name in found):
        return ""
    for index, name in sorted(found, reverse=True):
        moved = [*texts[:index], "", *texts[index:]]
        if all(_suits(other, moved[at], other == name) for other, at in columns.items() if at <= there):
            return name
    return ""


def _suits(name: str, text: str, is_gap: bool) -> bool:
    """Return whether a text may be the cell of that column. is_gap: it is the empty one that was put there."""
    if name == "id":
        return not read_lifecycle(text)
    if name == "trigger":
        return is_gap or "`" in text
    if name == "note":
        return not (text[:1] == text[-1:] == "`")
    if name == "lifecycle":
        return not text or bool(read_lifecycle(text))
    if name == "state":
        return not text or bool(read_state(text))
    if name == "rides":
        return read_number(text) is not None
    return name != "paid when" or not text or "`" in text


def has_pipe_in_trigger(line: RowLine) -> bool:
    """Return whether a bare trigger seems to go on in the next cell: blanks are before it, none after it."""
    if not {"GT105", "GT112"} <= {one.code for one in line.problems}:
        return False
    (start, end), (following, _) = split_cells(line.raw)[line.columns["trigger"] :][:2]
    return line.raw[start - 1 : start] != b"|" and following - end == 1


def add_trigger_pipe_problem(line: RowLine) -> None:
    """Report a pipe in a bare trigger, instead of the problems that the halves and the shifted cells seem to have."""
    _drop_shifted(line)
    message = "a pipe in the trigger begins a new cell: the cells after it are shifted"
    line.add("GT105", message, "put the trigger in backticks, with a backslash before the pipe: \\|", "trigger")


def add_gap_problem(line: RowLine, gap: str, there: int) -> None:
    """Report that the row lacks that cell, instead of the problems that the shifted cells seem to have."""
    _drop_shifted(line)
    name = line.columns.called(gap)
    message = (
        f"the row has {there} of {line.count} cells: its {name} cell is missing, so the cells after it are shifted"
    )
    how = ": `debt` or `rule`" if gap == "lifecycle" else ""
    line.add("GT104", message, f"add the {name} cell{how}", gap)


def _drop_shifted(line: LineProblems) -> None:
    line.problems = [one for one in line.problems if one.code not in (*_OF_SHIFTED_CELLS, "GT105")]


def add_lifecycle_problem(line: RowLine) -> None:
    """Report a lifecycle that is not known, with what was probably meant."""
    from gatilho.nearest import nearest

    text = line.text("lifecycle")
    close = nearest(text, ("debt", "rule", "dívida", "regra"))
    remedy = f"did you mean `{close}`?" if close else "write `debt` or `rule`"
    message = f"the {line.columns.called('lifecycle')} {text} is unknown: the row is a rule"
    line.add("GT108", message, remedy, "lifecycle")


def add_state_problem(line: RowLine, lifecycle: str, whole: bool, state: str) -> None:
    """Say how a state does not go with the strike or with the lifecycle."""
    if whole and state in ("owed", "rule"):
        message = f"the id {line.row_id} is struck, but the state says {state}: the strike decides"
        line.add("GT109", message, "remove the strike, or change the state", "state")
    elif whole:
        message = f"the rule {line.row_id} is struck, and its state gives no reason"
        line.add("GT110", message, "write `superseded` or `revoked` and the date in its state", "state")
    elif state == "paid":
        message = f"the state says paid, but the id {line.row_id} is not struck: the strike decides"
        line.add("GT109", message, "strike the id, or change the state", "state")
    elif not lacks_by_slip(line.columns, "lifecycle"):
        message = f"the state says {state}, but the row is a {lifecycle}"
        which = "the" if "lifecycle" in line.columns else "a new"
        column = f"{which} column `{line.columns.called('lifecycle')}`"
        line.add("GT130", message, f"write `debt` or `rule` in {column}, or change the state", "state")


def add_waiver_problem(line: RowLine) -> None:
    """Report a waiver without a valid end, which has no effect."""
    from gatilho.dates import is_date

    text = line.text("state")
    words = text.split()
    day = words[2].rstrip(":;,.") if len(words) > 2 else ""
    if words[1:2] == ["until"] and not is_date(day):
        message = f"waived without a valid date: {text}. So the debt is asked about"
        line.add("GT120", message, "write it as `waived until 2026-12-24`", "state")


def add_bytes_problem(line: LineProblems) -> None:
    """Report two backslashes before a pipe, and a line that is not UTF-8."""
    for number, (start, end) in enumerate(split_cells(line.raw)):
        if b"\\\\|" in line.raw[start:end]:
            message = "of two backslashes before a pipe GitHub shows one, but other parsers end the cell there"
            line.add_problem("GT116", message, "write the pipe in brackets, with one backslash: [\\|]", number)
        elif not _is_utf8(line.raw[start:end]):
            line.add_problem("GT125", "the cell is not UTF-8", "save the file as UTF-8", number)


def _is_utf8(raw: bytes) -> bool:
    return b"\xef\xbf\xbd" in raw or "\ufffd" not in cell_text(raw)
