"""Classes of named tuples, made in a twelfth of the time that `typing.NamedTuple` takes.

That compiles each annotation, and a constructor for each class: 160 µs a class, and 13 here, where
constructors of one length are one piece of bytecode under other names. A process that compiles a function
makes 58.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined]  # the stubs of Python leave it out
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType
    from typing import NamedTuple
else:

    class _Naming(type):
        """Make a class of tuples of what is written as a class below `NamedTuple`."""

        def __new__(mcs, name: str, bases: tuple[type, ...], scope: dict[str, Any]) -> type:
            fields = tuple(scope["__annotations__"])
            defaults = {field: scope[field] for field in fields if field in scope}
            new = FunctionType(_constructor(fields), _SCOPE, "__new__", tuple(defaults.values()))
            new.__qualname__ = f"{name}.__new__"
            of_fields = {"_fields": fields, "__match_args__": fields, "_field_defaults": defaults}
            made = {**_SHARED, **of_fields, **scope, "__new__": new}
            for n, field in enumerate(fields):
                made[field] = _tuplegetter(n, "")
            return type(name, (tuple,), made)

    #: In place of typing's class: what stands below it has fields, defaults and methods alike.
    NamedTuple = type.__new__(_Naming, "NamedTuple", (), {})

__all__ = ["NamedTuple"]

_codes: dict[int, CodeType] = {}


def _constructor(fields: tuple[str, ...]) -> CodeType:
    """Return the code of ``__new__(_cls, *fields)``."""
    if (code := _codes.get(len(fields))) is None:
        names = ", ".join([f"_{n}" for n in range(len(fields))])
        scope = dict(_SCOPE)
        exec(f"def __new__(_cls, {names}): return _tuple_new(_cls, ({names},))", scope)
        code = _codes[len(fields)] = scope["__new__"].__code__
    return code.replace(co_varnames=("_cls", *fields))


def _make(cls: Any, values: Iterable[object]) -> Any:
    if len(made := tuple.__new__(cls, values)) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _replace(self: Any, /, **changes: object) -> Any:
    made = _make(type(self), map(changes.pop, self._fields, self))
    if changes:
        raise ValueError(f"Got unexpected field names: {list(changes)!r}")
    return made


def _asdict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _repr(self: Any) -> str:
    told = ", ".join([f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)])
    return f"{type(self).__name__}({told})"


_SCOPE: dict[str, Any] = {"_tuple_new": tuple.__new__, "__name__": __name__}
_SHARED: dict[str, Any] = {
    "__slots__": (), "_make": classmethod(_make), "_replace": _replace, "__replace__": _replace,
    "_asdict": _asdict, "__repr__": _repr, "__getnewargs__": lambda self: tuple(self),
}  # fmt: skip
