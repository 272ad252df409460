"""The class of all records, on the path of every hook: plain slots, for dataclasses cost 11 ms to import."""


class Value:
    """A record: equal, hashable and printable by its slots, which are the arguments of its constructor."""

    __slots__: tuple[str, ...] = ()

    def as_tuple(self) -> tuple[object, ...]:
        """The values of the slots, in their order."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def replace(self, **changes: object):  # type: ignore[no-untyped-def]
        """A copy with the named slots changed."""
        values = dict(zip(self.__slots__, self.as_tuple()))
        values.update(changes)
        return type(self)(**values)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.as_tuple() == other.as_tuple()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"
