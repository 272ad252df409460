"""Rows that say different things of one subject: which of those in force share a key and differ in their notes."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol, TypeVar

    from gatilho.model import Row

    class _Found(Protocol):
        @property
        def row(self) -> Row: ...

    _F = TypeVar("_F", bound=_Found)


def contradictions(found: "Iterable[_F]") -> "list[list[_F]]":
    """Return the groups that contradict themselves, in the given order.

    What comes in has a `row` and may speak today.
    """
    by_key: dict[str, list[_F]] = {}
    for one in found:
        if one.row.key:
            by_key.setdefault(one.row.key.casefold(), []).append(one)
    return [group for group in by_key.values() if len({one.row.note for one in group}) > 1]
