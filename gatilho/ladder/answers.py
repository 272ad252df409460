"""The owner's answer in a prompt: `ok ID…`, or `waive ID until DATE: reason`, on a line of its own."""

from gatilho.bounded import is_there
from gatilho.dates import is_date
from gatilho.ladder import recording
from gatilho.ladder.decide import key_of
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.session import RowKey
from gatilho.model import Row, Value
from gatilho.plain import clean, shell_word, shortened
from gatilho.store.change import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# What people put around an id, and between two of them.
_MARKS = "`'\".,:;!?()[]<>#*_ \u00a0“”‘’"
# Editors and agents write these for the hyphen of an id.
_HYPHENS = dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212), "-")
_LONGEST_ID = 60  # of one that no row has
_BETWEEN = ("", "and", "e", "&", "+")


class Answer(Value):
    """What a line of a prompt says of a row: verb "ok" or "waive", the id, and a waiver's date and reason."""

    verb: str
    id: str
    until: str = ""
    why: str = ""


def answers_in(prompt: str, ids: "Ids") -> tuple[list[Answer], list[str]]:
    """Return the answers in a prompt, and why each line that begins like an answer is not one.

    ids: finds the ids of rows in a line. A line that names no row after its first word is prose.
    """
    found: list[Answer] = []
    unusable: list[str] = []
    for line in clean(prompt.replace("\r", "\n")).split("\n"):
        verb, *rest = line.strip().strip("`").split(None, 1) or [""]
        read = _READERS.get(verb.rstrip(",:").lower())
        if read is not None and rest:
            answers, reasons = read(rest[0].strip().strip("`"), ids)
            found += answers
            unusable += reasons
    return list(dict.fromkeys(found)), list(dict.fromkeys(unusable))


class Ids(Value):
    """Finds ids in what a person typed: in any letter case, with punctuation around them.

    known: the ids of a text, without regard to case. is_like: whether a text may be meant as an id. nearest: the id
    that was probably meant.
    """

    known: "Callable[[str], list[str]]"
    is_like: "Callable[[str], bool]"
    nearest: "Callable[[str], str]"

    def one(self, text: str) -> str:
        """Return the id that a text means, "" for none: the text itself, or that without the marks around it."""
        # As typed first: an id may begin or end with one of the marks itself.
        for candidate in dict.fromkeys((text.strip(), text.strip(_MARKS), text.strip(_MARKS).translate(_HYPHENS))):
            found = self.known(candidate) if candidate else []
            if candidate in found or len(found) == 1:
                return candidate if candidate in found else found[0]
        return ""

    def leading(self, text: str) -> tuple[list[str], list[str]]:
        """Return the ids with which a text begins, and why what looks like a further id is not one."""
        whole = self.one(text)
        if whole:
            return [whole], []
        found: list[str] = []
        unknown: list[str] = []
        for word in text.replace(",", " ").split():
            row_id = self.one(word)
            bare = word.strip(_MARKS).translate(_HYPHENS)
            if row_id:
                found.append(row_id)
            elif self.is_like(bare):
                close = self.nearest(bare)
                meant = f" Did you mean {close}?" if close else ""
                unknown.append(f"No row {shortened(bare, _LONGEST_ID)}, so your answer was ignored.{meant}")
            # Prose begins here: an id later in the sentence is mentioned, not answered.
            elif bare.lower() not in _BETWEEN:
                break
        return found, unknown


def _read_ok(text: str, ids: Ids) -> "tuple[list[Answer], list[str]]":
    found, reasons = ids.leading(text)
    if text.endswith("?"):
        return [], [f"{row_id} is not answered: your line is a question. Write `ok {row_id}`." for row_id in found]
    return [Answer("ok", row_id) for row_id in found], reasons


def _read_waive(text: str, ids: Ids) -> "tuple[list[Answer], list[str]]":
    name, tail = _before_date(text)
    found, reasons = ids.leading(name)
    until, why = tail[:10], tail[10:].strip(" `.,:;-")
    answers = []
    for row_id in found:
        form = f"write `waive {row_id} until YYYY-MM-DD: reason`"
        if not is_date(until):
            reasons.append(f"{row_id} is not waived: {form}, with a date that exists.")
        elif not why:
            reasons.append(f"{row_id} is not waived: a waiver needs a reason, so {form}.")
        else:
            answers.append(Answer("waive", row_id, until, why))
    return answers, reasons


def _before_date(text: str) -> tuple[str, str]:
    """Return what is before `until` or a date, and what follows from the date on; the first word where neither is."""
    for at in range(len(text)):
        if at and text[at - 1] in " ,:":
            if text[at : at + 6].lower() == "until ":
                return text[:at], text[at + 6 :].lstrip(" `")
            if is_date(text[at : at + 10]):
                return text[:at], text[at:]
    name, _, _ = text.partition(":")
    return name, ""


def _read_pay(text: str, ids: Ids) -> "tuple[list[Answer], list[str]]":
    found, reasons = ids.leading(text)
    return [], reasons + [
        f"{row_id} is not paid: a prompt cannot pay a debt. Run `gatilho pay {shell_word(row_id)} --why TEXT` in your "
        "own terminal."
        for row_id in found
    ]


_READERS = {"ok": _read_ok, "okay": _read_ok, "waive": _read_waive, "pay": _read_pay}


def _nearest(context: EventContext, text: str) -> str:
    from gatilho.nearest import nearest

    return nearest(text, context.index.all_ids())


def record_answers(context: EventContext) -> None:
    """Record what the owner answered in this prompt, and report what could not be used.

    An answer lets every row pass for this session that its question counted, whether or not it was shown.
    """
    ids = Ids(context.index.ids_in_any_case, context.index.has_like, lambda text: _nearest(context, text))
    answers, unusable = answers_in(_without_corrections(context), ids)
    for answer in answers:
        rows = [found.row for found in context.index.rows_with_id(answer.id)]
        owed = [row for row in rows if row.owed]
        if not owed:
            context.person.append(f"{answer.id} is not an open debt; there is nothing to answer.")
            continue
        if answer.verb == "waive":
            if not _waive(context, answer, owed):
                continue
        else:
            context.person.append(f"{answer.id}: writes are allowed in this session.")
        _let_pass(context, {key_of(row) for row in owed}, is_noted=answer.verb == "ok")
    context.person += unusable


def _without_corrections(context: EventContext) -> str:
    """Return the prompt without the lines that are about corrected facts, which are taken in."""

    prompt = context.event.prompt
    lowered = prompt.lower()
    may_approve = "ok" in lowered and is_there(context.repository.shared_state + "/corrections")
    if "remember:" not in lowered and not may_approve:
        return prompt
    from gatilho.ladder import remembering

    return remembering.record(context, prompt)


def _let_pass(context: EventContext, rows: set[RowKey], is_noted: bool) -> None:
    asked = context.session.asked()
    questions = {a.question for a in asked if a.key in rows} - {"prompt"}  # those are answers, each of its own
    for key in sorted(rows | {a.key for a in asked if a.question in questions}):
        context.session.ask(key, "prompt", "ask", context.event.mode)
        context.session.answer(key, "prompt", "yes")
        if is_noted or key not in rows:  # of a waiver the ledger has a line of its own
            context.session.add_line(key, "allowed", context.now, "answered in the prompt, for this session")


def _waive(context: EventContext, answer: Answer, owed: list[Row]) -> bool:
    """Queue the waivers; False when the date does not lie ahead."""
    if answer.until <= context.today:
        context.person.append(f"{answer.id} is not waived: {answer.until} is not a day after today.")
        return False
    for row in owed:
        match = context.match_of(key_of(row))
        if match is None:
            context.person.append(f"{answer.id} is not waived: several rows have this id ({row.place}).")
            continue
        by = f"person {context.event.host}"
        recording.queue(context, Change(row, "waive", match.header, evidence=answer.why, by=by, until=answer.until))
    return True
