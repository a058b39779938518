"""Results with names: `torch.return_types.max` and its like, tuples whose parts are attributes too."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, ClassVar


class ReturnType(tuple[Any, ...]):
    """A tuple with named parts, printed as torch prints it."""

    __slots__ = ()

    __match_args__: ClassVar[tuple[str, ...]] = ()
    n_fields: ClassVar[int] = 0
    n_sequence_fields: ClassVar[int] = 0
    n_unnamed_fields: ClassVar[int] = 0

    def __new__(cls, parts: Iterable[Any], /) -> ReturnType:
        """Make a result from its parts."""
        if len(made := tuple.__new__(cls, parts)) != cls.n_fields:
            raise TypeError(
                f"{cls.__module__}.{cls.__name__}() takes a {cls.n_fields}-sequence ({len(made)}-sequence "
                f"given)"
            )
        return made

    def __repr__(self) -> str:
        kind = type(self)
        parts = ",\n".join(f"{name}={part!r}" for name, part in zip(kind.__match_args__, self, strict=True))
        return f"{kind.__module__}.{kind.__name__}(\n{parts})"

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (type(self).__name__, type(self).__match_args__, tuple(self))


KINDS: dict[str, type[ReturnType]] = {}


def return_type(name: str, *fields: str) -> type[ReturnType]:
    """Make the class `torch.return_types.<name>`, once."""
    if name not in KINDS:
        members: dict[str, Any] = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
        members |= {
            "__slots__": (), "__module__": "torch.return_types", "__match_args__": fields,
            "n_fields": len(fields), "n_sequence_fields": len(fields),
        }  # fmt: skip
        KINDS[name] = type(name, (ReturnType,), members)
    return KINDS[name]


def named(name: str, fields: tuple[str, ...], parts: tuple[Any, ...]) -> ReturnType:
    """Make a result of the class of that name (what unpickling calls)."""
    return return_type(name, *fields)(parts)
