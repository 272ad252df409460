"""The class of all records, on the path of every hook: plain slots, for dataclasses cost 11 ms to import."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class Value:
    """A record: equal, hashable and printable by its slots, which are the arguments of its constructor."""

    __slots__: tuple[str, ...] = ()

    def as_tuple(self) -> tuple[object, ...]:
        """Return the values of the slots, in their order."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def as_dict(self) -> dict[str, object]:
        """Return the values by the names of their slots."""
        return dict(zip(self.__slots__, self.as_tuple()))

    def replace(self, **changes: object) -> "Self":
        """Return a copy with the named slots changed."""
        return type(self)(**{**self.as_dict(), **changes})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"
