"""Notes that seem to ask for opposite things: one says to do what the other says never to do.

A guess, for people to judge; pure. Two notes are candidates where one is negated and the other is not, and both speak
of the same words; or where both prefer one thing to another, each the other way round.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from gatilho.memory.similarity import comparable
from gatilho.model import Row, Value

_WORDS = re.compile(r"[\w./-]+")
_NEGATIONS = frozenset(
    (
        "never", "not", "no", "dont", "avoid", "without", "stop", "forbidden", "cannot", "cant", "mustnt", "shouldnt",
        "nunca", "não", "nao", "evite", "evitar", "sem",
    )
)  # fmt: skip
# Words that say how strongly, not what.
_EMPTY = frozenset(
    (
        "a", "an", "the", "to", "in", "of", "for", "and", "or", "it", "is", "are", "be", "this", "that", "here", "with",
        "always", "must", "should", "do", "please", "only", "on", "at", "by", "from", "any", "every", "all",
        "sempre", "deve", "o", "os", "as", "um", "uma", "de", "da", "em", "no", "na", "para", "e", "ou",
    )
) - _NEGATIONS  # fmt: skip
_PREFERENCE = re.compile(
    r"^(?:always )?(?:use|prefer|write|choose) (.+?)(?:,| and)? (?:over|not|instead of|rather than) (.+)$"
)
# Of the words of the shorter note, how many the other one has.
_SAME_SUBJECT = 0.7
_FEWEST_WORDS = 2
# Pairs that are compared at most, so that 10,000 rows with one trigger take no minutes.
_MOST_PAIRS = 200_000


class Directive(Value):
    """What a note asks for: the words of its subject, whether it is negated, and what it prefers to what."""

    words: frozenset[str]
    negated: bool
    preferred: str = ""
    other: str = ""


def read_directive(note: str) -> Directive:
    """Return what a note asks for, as far as its words show."""
    plain = comparable(note.replace("’", "").replace("'", ""))
    words = [word.strip("./-") for word in _WORDS.findall(plain)]
    subject = frozenset(word for word in words if word and word not in _NEGATIONS and word not in _EMPTY)
    negated = sum(word in _NEGATIONS for word in words) % 2 == 1
    preference = _PREFERENCE.match(plain)
    return Directive(subject, negated, *(preference.groups() if preference else ()))


def are_opposite(one: Directive, other: Directive) -> bool:
    """Return whether two directives seem to ask for opposite things."""
    if one.preferred and other.preferred:
        return one.preferred == other.other and one.other == other.preferred
    fewest = min(len(one.words), len(other.words))
    shared = len(one.words & other.words)
    return one.negated != other.negated and shared >= max(_FEWEST_WORDS, _SAME_SUBJECT * fewest)


def find_opposites(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Return the pairs of rows with a trigger in common whose notes seem to ask for opposite things, by number."""
    directives = [read_directive(row.note) for row in rows]
    groups: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for trigger in row.triggers:
            groups[str(trigger)].append(number)
    found = {pair for pair in _pairs(groups.values()) if are_opposite(directives[pair[0]], directives[pair[1]])}
    return sorted(found)


def _pairs(groups: Iterable[list[int]]) -> Iterator[tuple[int, int]]:
    left = _MOST_PAIRS
    for group in sorted(groups, key=len):
        for at, one in enumerate(group):
            for other in group[at + 1 :]:
                if left <= 0:
                    return
                left -= 1
                yield one, other
