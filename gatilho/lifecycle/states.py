"""The states of a row and the words for them, in English and Portuguese."""

STATES = {
    "owed": "owed",
    "devida": "owed",
    "paid": "paid",
    "paga": "paid",
    "rule": "rule",
    "regra": "rule",
    "superseded": "superseded",
    "revoked": "revoked",
    "expired": "expired",
    "waived": "waived",
}

_MARKUP = "*_`~ "


def read_state(text: str) -> str:
    """Return the first word of a state cell in English; "" where it is empty or unknown."""
    known = STATES.get(text)
    if known is not None or not text:
        return known or ""
    words = text.strip(_MARKUP).split(None, 1)
    return STATES.get(words[0].rstrip(".,;:").strip(_MARKUP).casefold(), "") if words else ""
