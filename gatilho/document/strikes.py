"""Puts the strike on an id and takes it off, in the bytes of its cell, with all that wraps the id kept."""

from gatilho.document.table import struck
from gatilho.errors import DocumentError


def strike(raw: bytes) -> bytes:
    """Strike the id in a cell's bytes, with all that wraps it kept; an id that is struck stays as it is.

    DocumentError where it is struck in part, and where no strike would hold.
    """
    before, core, behind = _unwrap_blanks(raw)
    whole, partly, id = struck(_shown(core))
    if whole:
        return raw
    if partly:
        raise DocumentError(f"the id {id} is struck in part: strike all of it, or none of it, by hand")
    for mark in ("~~", "~"):
        marked = f"{mark}{core}{mark}"
        if struck(_shown(marked)) == (True, False, id):
            return (before + marked + behind).encode("utf-8", "surrogateescape")
    raise DocumentError(f"the id {id or '(empty)'} cannot be struck: write it as one word of letters and digits")


def unstrike(raw: bytes) -> bytes:
    """Take every strike off the id in a cell's bytes, with all else that wraps it kept."""
    before, core, behind = _unwrap_blanks(raw)
    whole, partly, id = struck(_shown(core))
    if not whole and not partly:
        return raw
    from gatilho.document.inline import read_inline

    places = [(place, length) for strike in read_inline(core).strikes for place, length in _marks(strike)]
    for place, length in sorted(places, reverse=True):
        core = core[:place] + core[place + length :]
    if struck(_shown(core)) != (False, False, id):
        raise DocumentError(f"the strike of {id} cannot be taken off: do it by hand")
    return (before + core + behind).encode("utf-8", "surrogateescape")


def _marks(strike: tuple[int, int, int]) -> list[tuple[int, int]]:
    opener, closer, length = strike
    return [(opener, length), (closer, length)]


def _unwrap_blanks(raw: bytes) -> tuple[str, str, str]:
    text = raw.decode("utf-8", "surrogateescape")
    core = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    return lead, core, text[len(lead) + len(core) :]


def _shown(core: str) -> str:
    return core.replace("\\|", "|")
