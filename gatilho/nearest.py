"""The known word that a mistyped one was probably meant to be."""

from collections.abc import Iterable

# One letter too many or too few in four is similar enough, one other letter in six: `stage` is no slip of `state`.
_SLIP = 0.82


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the most similar of the known words, "" where none is similar; case does not count."""
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), by_folded, n=1, cutoff=cutoff)
    return by_folded[found[0]] if found else ""


def misspelt(word: str, known: Iterable[str]) -> str:
    """Return the known word that one was meant to be by a slip: a wrong letter, their order, marks; "" for none."""
    by_letters = {_letters(name): name for name in known}
    letters = _letters(word)
    swapped = (letters[:at] + letters[at : at + 2][::-1] + letters[at + 2 :] for at in range(len(letters)))
    close = next((one for one in (letters, *swapped) if one in by_letters), "")
    return by_letters.get(close or nearest(letters, by_letters, _SLIP), "")


def suggestion(word: str, known: Iterable[str], otherwise: str, shown: str = "{}") -> str:
    """Return the sentence that asks whether the nearest known word was meant, as `shown` has it, else the other one."""
    close = nearest(word, known)
    return f"Did you mean {shown.format(close)}?" if close else otherwise


def _letters(word: str) -> str:
    return "".join(filter(str.isalnum, word.casefold()))
