"""Facts that people correct again and again: what a correction says, how often it came, what that costs. Pure.

A fact is a key and a value, such as `ORM: Prisma`. Hooks read it in prompts, so little is imported here.
"""

from gatilho.config import Corrections
from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gatilho.ledger.tally import Entry

# The evidence of the line that a person's yes leaves; the corrections before it have done their work.
APPLIED = "applied"
_LONGEST_KEY = 60
_MARKS = "*_`"
_WORD = "remember:"


class CorrectedFact(Value):
    """What is said of a subject."""

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"


def sessions_in_words(count: int, threshold: int) -> str:
    """Return in how many sessions a fact was corrected, and of how many as long as that is not enough."""
    return f"{count} of {threshold} sessions" if count <= threshold else f"{count} sessions"


class ProposedLine(Value):
    """A line of a text that states a fact. number: from 1; start, end: of the value, in characters of the line."""

    number: int
    text: str
    start: int
    end: int

    @property
    def value(self) -> str:
        return self.text[self.start : self.end]

    def with_value(self, value: str) -> str:
        """Return the line with another value; what is around it stays."""
        return self.text[: self.start] + value + self.text[self.end :]


class CostTouch(Value):
    """What the touches up to one have cost, in seconds: without the loop of corrections and with it."""

    number: int
    without: int
    with_loop: int

    @property
    def saved(self) -> int:
        return self.without - self.with_loop


def read_fact(text: str) -> CorrectedFact | None:
    """Return the fact in `KEY: VALUE`; None for any other text."""
    key, colon, value = " ".join(text.split()).partition(":")
    key, value = key.strip(f" {_MARKS}"), value.strip()
    if not (colon and key and value) or len(key) > _LONGEST_KEY:
        return None
    return CorrectedFact(key, value)


def facts_in(prompt: str) -> list[CorrectedFact]:
    """Return the facts in a prompt: the lines that begin with `remember:`; no other text is read for its meaning."""
    found = []
    for line in prompt.replace("\r", "\n").split("\n"):
        words = line.strip().strip("`")
        if words[: len(_WORD)].lower() == _WORD:
            fact = read_fact(words[len(_WORD) :])
            if fact is not None:
                found.append(fact)
    return found


def same_key(one: str, other: str) -> bool:
    """Return whether two keys are one, whatever their case."""
    return one.strip().casefold() == other.strip().casefold()


def sessions_of(entries: "Iterable[Entry]") -> list[str]:
    """Return the sessions that corrected a key since the last approved edit, each once, in order."""
    found: dict[str, None] = {}
    for entry in sorted(entries, key=lambda one: one.when):
        if entry.evidence.startswith(APPLIED):
            found.clear()
        elif entry.session:
            found[entry.session] = None
    return list(found)


def find_line(text: str, key: str) -> ProposedLine | None:
    """Return the first line of a Markdown text that states a value of the key, outside of fenced code."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = line.lstrip(" \t>")[:3]
        # A fence ends at its own letters only: tildes between backquotes are text.
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence:
            found = _value_in(line.rstrip("\r"), key)
            if found is not None:
                return ProposedLine(number, line.rstrip("\r"), *found)
    return None


def _value_in(line: str, key: str) -> tuple[int, int] | None:
    """Return where a line has the value of a key, after a list mark and emphasis; None where it states none."""
    head, colon, rest = line.partition(":")
    label = _without_list_mark(head)
    bare = label.strip(" \t" + _MARKS)
    if not colon or not same_key(bare, key):
        return None
    start = len(head) + 1
    opened = label[: len(label) - len(label.lstrip(_MARKS))]
    # `**ORM:** Prisma` closes its emphasis after the colon, and the value begins after that.
    if opened and not label.rstrip().endswith(opened[::-1]) and rest.startswith(opened[::-1]):
        start += len(opened)
    start += len(line[start:]) - len(line[start:].lstrip(" \t"))
    end = len(line.rstrip())
    return (start, end) if start < end else None


def _without_list_mark(head: str) -> str:
    body = head.lstrip(" \t")
    if body[:2] in ("- ", "* ", "+ "):
        return body[2:].lstrip()
    digits = len(body) - len(body.lstrip("0123456789"))
    if digits and body[digits : digits + 2] in (". ", ") "):
        return body[digits + 2 :].lstrip()
    return body


def walk_costs(touches: int, settings: Corrections) -> list[CostTouch]:
    """Return the costs touch by touch: each is corrected until the edit is approved, at the touch of the threshold."""
    found = []
    last, seconds = max(settings.threshold, 1), settings.correction_seconds
    for number in range(1, touches + 1):
        approval = settings.approval_seconds if number >= last else 0
        found.append(CostTouch(number, seconds * number, seconds * min(number, last) + approval))
    return found


def ahead_from(settings: Corrections) -> int:
    """Return the touch from which the loop costs less than none; 0 where corrections cost nothing."""
    if settings.correction_seconds <= 0:
        return 0
    return max(settings.threshold, 1) + settings.approval_seconds // settings.correction_seconds + 1


def proposals_left(proposed: "Iterable[str]", key: str, since: str, most: int) -> bool:
    """Return whether a key may be proposed: it was since that day, or there is room. proposed: `DAY KEY` of each."""
    recent = {one[11:].casefold() for one in proposed if one[:10] > since}
    return key.casefold() in recent or len(recent) < most
