"""How similar rows are by what they say and when they say it; the only user of rapidfuzz. Pure.

A score is a number from 0 to 100. With the same trigger digits count as equal: of notes that differ in a number, all
but one are out of date.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from gatilho.model import Row, Value
from gatilho.triggers.paths import normalise

# From this score on two rows are near-duplicates: the same trigger and notes that are equal to four fifths, or
# different triggers and notes that differ in a letter or two.
NEAR_DUPLICATE = 83
_NOTE_SHARE, _TRIGGER_SHARE = 0.85, 0.15
# With less similar notes not even the same trigger makes two rows near-duplicates.
_LEAST_SIMILAR_NOTE = (NEAR_DUPLICATE - 100 * _TRIGGER_SHARE) / _NOTE_SHARE
# Shorter notes say too little to be compared.
_SHORTEST_NOTE = 12
# Notes with a common word that one note is compared with, the nearest before it: it bounds the time for 10,000 rows.
_MOST_COMPARED = 300

_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"\w+")
_MARKUP = str.maketrans("", "", "`*_~\"'")


class SimilarPair(Value):
    """Two rows that are near-duplicates: their numbers in what was compared, the lower one first, and their score."""

    first: int
    second: int
    score: int


def similarity(one: Row, other: Row) -> int:
    """Return the score of two rows; 0 where all that distinguishes their notes is what their own triggers name."""
    from rapidfuzz import fuzz

    ours, theirs = _triggers(one), _triggers(other)
    if ours & theirs:
        return round(_NOTE_SHARE * fuzz.ratio(comparable(one.note), comparable(other.note)) + 100 * _TRIGGER_SHARE)
    note, other_note = _plain(one.note), _plain(other.note)
    words, other_words = set(_WORDS.findall(note)), set(_WORDS.findall(other_note))
    if _is_named(words - other_words, ours) and _is_named(other_words - words, theirs):
        return 0
    triggers = fuzz.ratio(" ".join(sorted(ours)), " ".join(sorted(theirs)))
    return round(_NOTE_SHARE * fuzz.ratio(note, other_note) + _TRIGGER_SHARE * triggers)


def most_similar(row: Row, others: Iterable[Row], least: int = NEAR_DUPLICATE) -> list[tuple[Row, int]]:
    """Return the other rows whose score with the row is at least that, each with its score, the highest first."""
    if len(comparable(row.note)) < _SHORTEST_NOTE:
        return []
    scored = [(other, similarity(row, other)) for other in others if len(comparable(other.note)) >= _SHORTEST_NOTE]
    return sorted((one for one in scored if one[1] >= least), key=lambda one: -one[1])


def find_pairs(rows: Sequence[Row]) -> list[SimilarPair]:
    """Return the near-duplicates among rows.

    Of rows that say the same, each is paired with the first of them only. Others are compared where they share one of
    their uncommon words, so that 10,000 rows take seconds; two that share few of their words may be missed.
    """
    by_note: dict[str, list[int]] = defaultdict(list)
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        note = comparable(row.note)
        if len(note) >= _SHORTEST_NOTE:
            by_note[note].append(number)
            alike["", _plain(row.note)].append(number)
            for trigger in _triggers(row):
                alike[trigger, note].append(number)
    found = {(group[0], other) for group in alike.values() for other in group[1:]}
    found |= {(by_note[one][0], by_note[other][0]) for one, other in _similar_texts(list(by_note))}
    pairs = (SimilarPair(min(both), max(both), similarity(rows[both[0]], rows[both[1]])) for both in found)
    return sorted((pair for pair in pairs if pair.score >= NEAR_DUPLICATE), key=lambda pair: (pair.first, pair.second))


def groups_of(pairs: Iterable[SimilarPair]) -> list[list[int]]:
    """Return the numbers of the rows that pairs join, as groups, each in order."""
    group_of: dict[int, list[int]] = {}
    for pair in pairs:
        first, second = group_of.get(pair.first, [pair.first]), group_of.get(pair.second, [pair.second])
        joined = first if first is second else first + second
        group_of.update(dict.fromkeys(joined, joined))
    unique = {id(group): sorted(group) for group in group_of.values()}
    return sorted(unique.values())


def closest(text: str, others: Sequence[str], least: int) -> tuple[int, int] | None:
    """Return number and score of the most similar of `comparable` texts; None where none has the least score."""
    from rapidfuzz import fuzz, process

    plain = comparable(text)
    if len(plain) < _SHORTEST_NOTE:
        return None
    found = process.extractOne(plain, others, scorer=fuzz.ratio, processor=None, score_cutoff=least)
    return None if found is None else (found[2], round(found[1]))


def one_letter_off(text: str, others: Iterable[str]) -> str:
    """Return one of the others that differs from the text in one letter, or in two that changed places; "" for none."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    found = process.extractOne(text, list(others), scorer=OSA.distance, processor=None, score_cutoff=1)
    return "" if found is None else str(found[0])


def comparable(text: str) -> str:
    """Return a text as it is compared: case, digits, blanks and marks of emphasis do not count."""
    return _DIGITS.sub("0", _plain(text))


def _plain(text: str) -> str:
    return " ".join(normalise(text).translate(_MARKUP).casefold().split()).rstrip(".")


def _triggers(row: Row) -> set[str]:
    return {str(trigger) for trigger in row.triggers}


def _is_named(words: set[str], triggers: set[str]) -> bool:
    """Return whether there are such words and each of them is in the text of the triggers."""
    text = " ".join(triggers).casefold()
    return bool(words) and all(word in text for word in words)


def _similar_texts(texts: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of different texts that are similar enough for a look at their triggers."""
    from rapidfuzz import fuzz, process

    words = [_words_of(text) for text in texts]
    counts = Counter(word for one in words for word in dict.fromkeys(one))
    sought = [_features(one, counts) for one in words]
    bearers: dict[str, list[int]] = defaultdict(list)
    found = []
    for number, text in enumerate(texts):
        near: dict[int, None] = {}
        for feature in sought[number]:
            if len(near) < _MOST_COMPARED:
                near.update(dict.fromkeys(bearers[feature][-_MOST_COMPARED:]))
        choices = {other: texts[other] for other in near}
        matches = process.extract(
            text, choices, scorer=fuzz.ratio, processor=None, limit=None, score_cutoff=_LEAST_SIMILAR_NOTE
        )
        found += [(texts[other], text) for _, _, other in matches]
        for feature in sought[number]:
            bearers[feature].append(number)
    return found


def _features(words: list[str], counts: "Counter[str]") -> list[str]:
    """Return what similar texts share: the third of the words that is rarest, rarest first.

    Where some of those are common, neighbours of three words come before them: a small vocabulary has no rare word.
    """
    unique = set(words)
    rarest = sorted(unique, key=lambda word: (counts[word], word))[: len(unique) // 3 + 1]
    rare = [word for word in rarest if counts[word] <= _MOST_COMPARED]
    if len(rare) == len(rarest):
        return rare
    neighbours = [" ".join(three) for three in zip(words, words[1:], words[2:])]
    return [*rare, *dict.fromkeys(neighbours), *rarest[len(rare) :]]


def _words_of(text: str) -> list[str]:
    """Return the words of a text; of scripts that put no blanks between words, each two characters that follow."""
    found: list[str] = []
    for word in _WORDS.findall(text):
        found += (word,) if word.isascii() else (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return found
