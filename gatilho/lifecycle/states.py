"""The states of a row and the words for them, in English and Portuguese."""

PORTUGUESE = {"owed": "devida", "paid": "paga", "rule": "regra"}
STATES = {
    **{word: word for word in ("owed", "paid", "rule", "superseded", "revoked", "expired", "waived")},
    **{word: state for state, word in PORTUGUESE.items()},
}

_MARKUP = "*_`~ "


def read_state(text: str) -> str:
    """Return the first word of a state cell in English; "" where it is empty or unknown."""
    known = STATES.get(text)
    if known is not None or not text:
        return known or ""
    words = text.strip(_MARKUP).split(None, 1)
    return STATES.get(words[0].rstrip(".,;:").strip(_MARKUP).casefold(), "") if words else ""
