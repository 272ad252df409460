"""The class of all records: declared by their annotations, frozen, and cheap to import (dataclasses cost 11 ms)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        return lambda cls: cls


@dataclass_transform(frozen_default=True, eq_default=True)
class Value:
    """A record: its annotations are its fields, in order; equal, hashable and printable by them.

    A field with a value in the class body has that as its default. Annotations are evaluated: quote a name that only
    type checking imports.
    """

    __fields__: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        inherited: tuple[str, ...] = getattr(cls, "__fields__", ())
        cls.__fields__ = inherited + tuple(name for name in cls.__annotations__ if name not in inherited)

    def __init__(self, *given: object, **named: object) -> None:
        fields = self.__fields__
        self.__dict__.update(zip(fields, given))
        if named or len(given) != len(fields):
            if len(given) > len(fields):
                raise TypeError(f"{type(self).__name__} takes {len(fields)} values, not {len(given)}")
            self._take(fields[len(given) :], named)

    def _take(self, fields: tuple[str, ...], named: dict[str, object]) -> None:
        values, defaults = self.__dict__, type(self)
        for field in fields:
            try:
                values[field] = named.pop(field) if field in named else getattr(defaults, field)
            except AttributeError:
                raise TypeError(f"{defaults.__name__} needs a value for {field!r}") from None
        if named:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(map(repr, named))}, or it is given twice")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def as_tuple(self) -> tuple[object, ...]:
        """Return the values of the fields, in their order."""
        return tuple(self.__dict__.values())

    def as_dict(self) -> dict[str, object]:
        """Return the values by the names of their fields."""
        return dict(self.__dict__)

    def replace(self, **changes: object) -> "Self":
        """Return a copy with the named fields changed."""
        return type(self)(**{**self.__dict__, **changes})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"
