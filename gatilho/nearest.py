"""The known word that a mistyped one was probably meant to be."""

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the most similar of the known words, "" where none is similar; case does not count."""
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else ""


def suggestion(word: str, known: Iterable[str], otherwise: str, shown: str = "{}") -> str:
    """Return the sentence that asks whether the nearest known word was meant, as `shown` has it, else the other one."""
    close = nearest(word, known)
    return f"Did you mean {shown.format(close)}?" if close else otherwise
