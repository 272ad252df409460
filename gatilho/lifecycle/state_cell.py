"""The words of a state cell: the first, the date and id that the program keeps after it, and the rest, a person's."""

from gatilho.dates import is_date
from gatilho.lifecycle.states import PORTUGUESE, read_state

# States that only the cell shows: they are written even in front of a text that is not understood.
TOLD_BY_THE_CELL = ("superseded", "revoked", "expired", "waived")
_PUNCTUATION = ":;,."
_MARKUP = "*_`~"


def restate(text: str, state: str, tail: str = "") -> str:
    """Return the state cell's text with another first word and the program's date or id after it; the rest stays.

    A first word that is neither known nor alone is a person's sentence: then only a state that nothing else shows is
    written, in front of it. "owed" and "rule" are what an empty cell says anyway.
    """
    word, _, rest = split_state(text)
    if not text.strip():
        return "" if state in ("owed", "rule") else state + tail
    if not word:
        return f"{state}{tail}: {text.strip()}" if state in TOLD_BY_THE_CELL else text
    # The old date and id go with the word that they belonged to.
    return _like(word, state) + tail + rest


def split_state(text: str) -> tuple[str, str, str]:
    """Return a state cell's first word, the date and id that the program keeps after it, and the rest.

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
    """Return the date in the state text of a waived row, "" where it names none."""
    words = _tail_words(text, "waived")
    return words[1] if len(words) == 2 else ""


def left_of(text: str) -> int | None:
    """Return how much of a debt is left by its state text, such as `owed 14 left`; None where it does not say."""
    words = _tail_words(text, "owed")
    return int(words[0]) if len(words) == 2 else None


def with_left(text: str, left: int | None) -> str:
    """Return the state text of an owed debt with another number left (None: without one); any other as it is."""
    word, _, rest = split_state(text)
    if not text.strip():
        return "" if left is None else f"owed {left} left"
    if read_state(word) != "owed":
        return text
    return f"{word}{'' if left is None else f' {left} left'}{rest}"


def successor_of(text: str) -> str:
    """Return the id that took over, in the state text of a superseded row; "" where it names none."""
    word, tail, _ = split_state(text)
    _, by, named = f"{tail} ".partition(" by ") if read_state(word) == "superseded" else ("", "", "")
    return named.strip().strip("`") if by else ""


def by_successor(row_id: str) -> str:
    """Return what names the row that took over, after the state word: in a code span unless its id is one word."""
    return f" by {row_id}" if _word_at(row_id, 0) == row_id else f" by `{row_id}`"


def _like(old: str, state: str) -> str:
    """Return the state's word in the language, with the capital and within the markup of the word that it replaces."""
    plain = old.strip(_MARKUP)
    word = PORTUGUESE.get(state, state) if plain.lower() in PORTUGUESE.values() else state
    return old.replace(plain, word.capitalize() if plain[:1].isupper() else word, 1) if plain else word


def _word_at(text: str, start: int) -> str:
    """Return the word that begins there, without the marks that end it."""
    words = text[start:].split(None, 1)
    return words[0].rstrip(_PUNCTUATION) if words else ""


def _end_of_tail(text: str, start: int, state: str) -> int:
    """Return where what the program writes after the state word ends: a date, and for some states words around it."""
    # A number without `left`, as in `owed 3 of us`, is a person's.
    if state == "owed":
        number = _next_word(text, start)
        after = _past(text, start, number) if number.isascii() and number.isdigit() else start
        end = _past(text, after, "left")
        return end if end > after > start else start
    if state not in TOLD_BY_THE_CELL:
        return start
    if state == "waived":
        after = _past(text, start, "until")
        # So is `until spring`: only a date is written here, and so taken away again.
        if after > start:
            end = _past_date(text, after)
            return end if end > after else start
    end = _past_date(text, start)
    if state != "superseded":
        return end
    # Without `by`, what follows is a sentence and no id, however much its first word looks like one.
    by = _past(text, end, "by")
    behind = _past_id(text, by) if by > end else by
    return behind if behind > by else end


def _past_id(text: str, start: int) -> int:
    """Return the position after the id there, a code span or a word; `start` itself where there is none."""
    # An id that reads as several words is in a code span, or its end could not be found again.
    closing = text.find("`", start + 2) if text.startswith(" `", start) else -1
    return closing + 1 if closing > 0 else _past(text, start, _next_word(text, start))


def _past_date(text: str, start: int) -> int:
    word = _next_word(text, start)
    return _past(text, start, word) if is_date(word) else start


def _next_word(text: str, start: int) -> str:
    """Return the word after the blanks at `start`; "" without a blank there."""
    return _word_at(text, start) if text[start : start + 1].isspace() else ""


def _past(text: str, start: int, word: str) -> int:
    """Return the position after that word, `start` itself where another follows."""
    if not word or _next_word(text, start) != word:
        return start
    return text.index(word, start) + len(word)


def _tail_words(text: str, state: str) -> list[str]:
    word, tail, _ = split_state(text)
    return tail.split() if read_state(word) == state else []
