"""The order of a list that was changed on two sides: what one side moved or added finds its place in the other's."""


def merge_order(base: list[str], ours: list[str], theirs: list[str], kept: set[str]) -> list[str]:
    """Return all kept keys, each of which is in ours or theirs, in one order.

    The side that reordered what was in base leads, ours when both did or neither; what only the other has follows the
    key that it follows there, after what the leading side added at the same place, and at the end what is last there.
    """
    base, ours, theirs = ([key for key in keys if key in kept] for keys in (base, ours, theirs))
    if ours == theirs:
        return ours
    lead, other = (ours, theirs) if _is_reordered(base, ours) or not _is_reordered(base, theirs) else (theirs, ours)
    anchors = set(other) | set(base)
    behind, last = _behind(lead, other)
    merged: list[str] = []
    waiting = behind.get("", [])
    for key in lead:
        if key in anchors:
            merged += waiting
            waiting = []
        merged.append(key)
        waiting = waiting + behind.get(key, [])
    return merged + waiting + last


def _is_reordered(base: list[str], side: list[str]) -> bool:
    """Return whether the keys that base and a side share are in another order there."""
    in_base, in_side = set(base), set(side)
    return [key for key in base if key in in_side] != [key for key in side if key in in_base]


def _behind(lead: list[str], other: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return what only the other side has, by the key of the leading side that it follows ("" for none),
    and what is last.
    """
    leading = set(lead)
    found: dict[str, list[str]] = {}
    followed = ""
    for key in other:
        if key in leading:
            followed = key
        else:
            found.setdefault(followed, []).append(key)
    last = found.pop(followed, []) if other and other[-1] not in leading else []
    return found, last
