"""The words of a state cell: the first, the date and id that the program keeps behind it, and the rest, a person's."""

from gatilho.dates import is_date
from gatilho.document.cells import read_state

# States that nothing but the cell tells: they are written even in front of a text that is not understood.
TOLD_BY_THE_CELL = ("superseded", "revoked", "expired", "waived")
_PORTUGUESE = {"owed": "devida", "paid": "paga", "rule": "regra"}
_PUNCTUATION = ":;,."
_MARKUP = "*_`~"


def restate(text: str, state: str, tail: str = "") -> str:
    """The state cell's text with another first word and what we put behind it; everything else that it says stays.

    A first word that is neither known nor alone is a person's sentence: then only a state that nothing else tells is
    written, in front of it. "owed" and "rule" are what an empty cell says anyway.
    """
    word, _, rest = split_state(text)
    if not text.strip():
        return "" if state in ("owed", "rule") else state + tail
    if not word:
        return f"{state}{tail}: {text.strip()}" if state in TOLD_BY_THE_CELL else text
    return _like(word, state) + tail + rest


def split_state(text: str) -> tuple[str, str, str]:
    """A state cell as its first word, the date and id that the program keeps behind it, and the rest; joined, the text.

    The first word is "" where it is not known and not alone.
    """
    text = text.strip()
    word = _word_at(text, 0)
    state = read_state(word)
    if not state:
        return (text, "", "") if text and word == text else ("", "", text)
    end = _end_of_tail(text, len(word), state)
    return word, text[len(word) : end], text[end:]


def waived_until(text: str) -> str:
    """The date in the state text of a waived row, "" where it names none."""
    words = _tail_words(text, "waived")
    return words[1] if len(words) == 2 else ""


def successor_of(text: str) -> str:
    """The id that took over, in the state text of a superseded row; "" where it names none."""
    word, tail, _ = split_state(text)
    _, by, named = f"{tail} ".partition(" by ") if read_state(word) == "superseded" else ("", "", "")
    return named.strip().strip("`") if by else ""


def by_successor(row_id: str) -> str:
    """What stands behind the state word for the row that took over: in a code span unless its id reads as one word."""
    return f" by {row_id}" if _word_at(row_id, 0) == row_id else f" by `{row_id}`"


def _like(old: str, state: str) -> str:
    """The state's word in the language, with the capital and within the markup of the word that it replaces."""
    plain = old.strip(_MARKUP)
    word = _PORTUGUESE.get(state, state) if plain.lower() in _PORTUGUESE.values() else state
    return old.replace(plain, word.capitalize() if plain[:1].isupper() else word, 1) if plain else word


def _word_at(text: str, start: int) -> str:
    """The word that begins there, without the marks that end it."""
    words = text[start:].split(None, 1)
    return words[0].rstrip(_PUNCTUATION) if words else ""


def _end_of_tail(text: str, start: int, state: str) -> int:
    """Where the date, and for some states the words around it, end that the program writes behind the state word."""
    if state not in TOLD_BY_THE_CELL:
        return start
    if state == "waived":
        after = _past(text, start, "until")
        if after > start:
            end = _past_date(text, after)
            return end if end > after else start
    end = _past_date(text, start)
    if state != "superseded":
        return end
    by = _past(text, end, "by")
    behind = _past_id(text, by) if by > end else by
    return behind if behind > by else end


def _past_id(text: str, start: int) -> int:
    """The position behind the id there, a code span or a word; `start` itself where there is none."""
    closing = text.find("`", start + 2) if text.startswith(" `", start) else -1
    return closing + 1 if closing > 0 else _past(text, start, _next_word(text, start))


def _past_date(text: str, start: int) -> int:
    word = _next_word(text, start)
    return _past(text, start, word) if is_date(word) else start


def _next_word(text: str, start: int) -> str:
    """The word behind the blanks at `start`; "" where something else than a blank stands there."""
    return _word_at(text, start) if text[start : start + 1].isspace() else ""


def _past(text: str, start: int, word: str) -> int:
    """The position behind that word, `start` itself where another follows."""
    if not word or _next_word(text, start) != word:
        return start
    return text.index(word, start) + len(word)


def _tail_words(text: str, state: str) -> list[str]:
    word, tail, _ = split_state(text)
    return tail.split() if read_state(word) == state else []
