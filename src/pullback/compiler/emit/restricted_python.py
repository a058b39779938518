"""Translate functions in a restricted Python to LLVM's text.

Native code that works on Python's objects is written as Python functions whose annotations are the types
below, or ``int`` and ``list`` of them where they also run as Python. Their source is read, as Numba and
RPython do. In them

- ``p[n]`` is the n-th word behind an address, ``p + n`` its address, and ``room(n)`` is room for n words on
  the stack; the words are addresses behind an `Object`, numbers behind `Words`, and what an annotation says;
- ``object.field`` is a member of one of Python's objects (`Field`);
- ``and`` and ``or`` leave out their second operand, ``&`` and ``|`` do not;
- ``python.PyTuple_New(2)`` calls a function of Python's or NumPy's (`python_functions`), and a name one of
  these functions; module constants are numbers or `Static` memory.

Statements are assignments, of several values at once, too, ``if``, ``while``, ``for n in range(…)``, or
``apart(…)``, ``break``, ``continue`` and ``return``.
Variables become values at once (static single assignment), so that no pass of LLVM's is needed for that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

from ...array.named_tuples import NamedTuple

#: Addresses of addresses (or of an object), of numbers and of bytes; numbers of 64 bits, truth, doubles.
Object: TypeAlias = Any
Words: TypeAlias = Any
Bytes: TypeAlias = Any
Int: TypeAlias = Any
Bool: TypeAlias = Any
Real: TypeAlias = Any

#: What functions name beside each other: no address; Python's functions; room on the stack; a read and a
#: write of so many bits; a read of a floating number; a number as a double, the whole part of a double in so
#: many bits, and a write of a number as a float; calls of an address, with an address and nothing for result;
#: a copy of memory; what counts as ``range`` does, for a loop whose steps touch nothing of each other's.
null: Any = None
python: Any = None
room: Any = None
load: Any = None
load_real: Any = None
store: Any = None
real: Any = None
whole: Any = None
store_single: Any = None
call: Any = None
run: Any = None
copy: Any = None
apart: Any = None

_F = TypeVar("_F", bound=Callable[..., Any])


def native(function: _F) -> _F:
    """Mark a function as one that is translated."""
    function.__dict__["is_native"] = True
    return function


class Field(NamedTuple):
    """Say where a member of an object is, in bytes behind its address, and what it is: one of the types
    above, ``int32``, or ``inside``: not what is there, but its address.
    """

    offset: int
    kind: str


class Static(NamedTuple):
    """Memory of a module, in bytes."""

    size: int


class Program:
    """Native functions, with all that they call, as LLVM's text.

    The `entries` are called from outside, under their names. `constants` are what has other values in this
    program than in the modules: constants, as the bits of an element, and functions.
    """

    def __init__(
        self, entries: Sequence[Callable[..., Any]], fields: Mapping[str, Field],
        constants: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._entries, self.fields, self._own = entries, fields, constants or {}
        self._functions: dict[str, FunctionType] = {}
        #: Constants that functions name, by module and name.
        self._constants: dict[tuple[str, str], Any] = {}
        waiting: list[Any] = [*entries]
        while waiting:
            function = waiting.pop()
            if self._functions.setdefault(function.__name__, function) is not function:
                raise TypeError(f"two native functions are called {function.__name__}")
            space = function.__globals__
            for name in function.__code__.co_names:
                value = self._own.get(name, space.get(name))
                if isinstance(value, FunctionType) and "is_native" in value.__dict__:
                    if self._functions.get(value.__name__) is not value:
                        waiting.append(value)
                elif isinstance(value, int | float | Static):
                    self._constants[function.__module__, name] = value

    @property
    def names(self) -> list[str]:
        """Return the names of the entries."""
        return [entry.__name__ for entry in self._entries]

    def key(self) -> list[bytes]:
        """Return what tells the functions, without translating them."""
        homes = {f.__code__.co_filename for f in self._functions.values()}
        homes |= {__file__, os.path.join(os.path.dirname(__file__), "translation.py")}
        told = repr((sorted(self._constants.items()), sorted(self.fields.items())))
        return [*map(_source, sorted(homes)), told.encode()]

    def text(self) -> str:
        """Return LLVM's text, without declarations of Python's functions."""
        from . import translation  # what is on disk needs none

        trees: dict[str, Any] = {}
        found = []
        for function in self._functions.values():
            file = function.__code__.co_filename
            if file not in trees:
                trees[file] = translation.definitions(_source(file))
            own = trees[file][function.__name__]
            is_entry = function in self._entries
            found.append(translation.Translation(function, own, self.fields, is_entry, self._own).text())
        statics = [
            f"@{name} = internal global [{value.size} x i8] zeroinitializer, align 64"
            for (_, name), value in self._constants.items() if isinstance(value, Static)
        ]
        return "\n\n".join([*statics, *found])


def _source(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()
