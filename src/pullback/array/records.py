"""Classes of records, made in a small part of the time that `dataclasses` takes.

That writes the text of each constructor and compiles it, and of more methods: 190 µs for three fields, and
500 for a node of the compiler. It is 7 µs here, where constructors of one length are one piece of bytecode
under other names, as those of `named_tuples` are.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as record
    from types import CodeType
else:

    def record(*, eq: bool, kw_only: bool = False) -> Callable[[type], type]:
        """Return what gives a class a constructor that takes its fields, those of its base first.

        Without `eq` a record equals itself alone; with `kw_only` the class' own fields are given by name.
        """

        def made(cls: type) -> type:
            base = getattr(cls, "_record_fields", {})
            cls._record_fields = fields = {**base, **dict.fromkeys(cls.__annotations__, kw_only)}
            cls.__init__ = _constructor(cls, fields)
            return cls

        return made


__all__ = ["record"]

_codes: dict[int, CodeType] = {}


def _constructor(cls: type, fields: dict[str, bool]) -> FunctionType:
    """Return ``__init__(self, *fields)``; of each field, whether it is given by name."""
    places = [name for name, named in fields.items() if not named]
    names = tuple(sorted(fields, key=fields.__getitem__))
    if (code := _codes.get(len(names))) is None:
        scope: dict[str, Any] = {}
        given = [f"_{n}" for n in range(len(names))]
        body = "; ".join([f"self.{n} = {n}" for n in given])
        exec(f"def __init__(self, {', '.join(given)}): {body}", scope)
        code = _codes[len(names)] = scope["__init__"].__code__
    own = code.replace(
        co_varnames=("self", *names), co_names=names, co_argcount=1 + len(places),
        co_kwonlyargcount=len(names) - len(places),
    )  # fmt: skip
    defaults = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
    behind = tuple([defaults.pop(name) for name in places if name in defaults])
    made = FunctionType(own, {}, "__init__", behind)
    made.__kwdefaults__ = defaults
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made
