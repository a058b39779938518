"""Handlers of loop bodies: what ``ops`` is when a body runs.

A body asks its handler for scalars and combines them by name: ``ops.add(a, ops.constant(1, dtype))``. Every
scalar knows its dtype. The handlers are `Analysis` (what is read, how much is computed) and the emitter of
`emit.emitter`. Tests have one more, on NumPy's scalars, which says what the operations mean.

==================  ==========================================================================
load, index         an element of a buffer, of a complex one a `Pair`; an index as a number
load_part           a part of an element of a complex buffer
place               an index from an int64 scalar that is at least 0 and below an extent
constant, cast      a number of a dtype; a change of dtype, as NumPy casts
whole               a floating scalar that holds a number of 32 bits, as an int64
BINARY              two scalars of one dtype
COMPARISONS         two scalars of one dtype; a bool
UNARY               one scalar
MATHEMATICS         one or two floating scalars; a function of `mathematics` or the C library
select              one of two scalars of a dtype, by a bool
apart               a ``with`` block in which no product and sum are rounded together
==================  ==========================================================================
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from ...array.elementwise import NAMES
from ...array.named_tuples import NamedTuple
from .buffer import Buffer
from .index import Index, Measured, atom_index

BINARY = (
    "add", "sub", "mul", "div", "floordiv", "rem", "maximum", "minimum", "and_", "or_", "xor", "shl", "shr",
    "copysign",
)  # fmt: skip
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY = ("neg", "abs", "sqrt", "floor", "ceil", "trunc", "rint", "not_")
MATHEMATICS = (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "lgamma", "tgamma", "pow", "atan2",
    "hypot", "fmod", "digamma",
)  # fmt: skip


#: A scalar as a handler has it, which knows its dtype, or a `Pair` of them.
Scalar = Any
_Unary = Callable[[Scalar], Scalar]
_Binary = Callable[[Scalar, Scalar], Scalar]


class Handler(Protocol):
    """Compute what a body asks for; the table above says what each method gives."""

    def load(self, buffer: Buffer, index: Index) -> Scalar: ...
    def load_part(self, buffer: Buffer, index: Index) -> Scalar: ...
    def index(self, index: Index, dtype: np.dtype[Any]) -> Scalar: ...
    def place(self, x: Scalar, extent: int) -> Index: ...
    def constant(self, value: complex, dtype: np.dtype[Any]) -> Scalar: ...
    def cast(self, x: Scalar, dtype: np.dtype[Any]) -> Scalar: ...
    def whole(self, x: Scalar) -> Scalar: ...
    def select(self, condition: Scalar, x: Scalar, y: Scalar) -> Scalar: ...
    def function(self, name: str, *xs: Scalar) -> Scalar: ...
    def apart(self) -> AbstractContextManager[None]: ...

    add: _Binary
    sub: _Binary
    mul: _Binary
    div: _Binary
    floordiv: _Binary
    rem: _Binary
    maximum: _Binary
    minimum: _Binary
    and_: _Binary
    or_: _Binary
    xor: _Binary
    shl: _Binary
    shr: _Binary
    copysign: _Binary
    eq: _Binary
    ne: _Binary
    lt: _Binary
    le: _Binary
    gt: _Binary
    ge: _Binary
    neg: _Unary
    abs: _Unary
    sqrt: _Unary
    floor: _Unary
    ceil: _Unary
    trunc: _Unary
    rint: _Unary
    not_: _Unary


#: Complex dtypes, and those of their parts.
PARTS: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)
}  # fmt: skip
_WHOLE = {part: whole for whole, part in PARTS.items()}
#: What tells the places of parts from those of elements.
_OF_PARTS = 1 << 40


class Pair(NamedTuple):
    """A complex scalar: its parts, as the handler has scalars."""

    real: Any
    imag: Any

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the complex dtype of the scalar."""
        return _WHOLE[self.real.dtype]


class Read(NamedTuple):
    """A load: a buffer, and where."""

    buffer: Buffer
    index: Index  # type: ignore[assignment]  # narrower here than in the base


class Term(NamedTuple):
    """A scalar of `Analysis`."""

    dtype: np.dtype[Any]
    read: Read | None = None


class Analysis:
    """Collect a body's loads and counts its operations."""

    FUNCTION = 12

    def __init__(self) -> None:
        self.reads: list[Read] = []
        #: Of the loads, and those that are values.
        self.indices: list[Index] = []
        #: Operations, with a function counted as `FUNCTION`.
        self.count = 0
        self.functions = 0
        self.places = 0

    def load(self, buffer: Buffer, index: Index) -> Any:
        read = Read(buffer, index)
        self.reads.append(read)
        self.indices.append(index)
        part = PARTS.get(buffer.dtype)
        return Term(buffer.dtype, read) if part is None else Pair(Term(part), Term(part))

    def load_part(self, buffer: Buffer, index: Index) -> Term:
        # No element is stored at such a place: what fills the buffer is another kernel.
        self.reads.append(Read(buffer, index + _OF_PARTS))
        self.indices.append(index)
        return Term(PARTS[buffer.dtype])

    def index(self, index: Index, dtype: np.dtype[Any]) -> Term:
        self.count += 1
        self.indices.append(index)
        return Term(dtype)

    def place(self, x: Term, extent: int) -> Index:
        # Every place is another one: nobody can say that two are equal.
        self.places += 1
        self.count += 1
        return atom_index(Measured(x, f"place{self.places}", extent))

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Term:
        return Term(dtype)

    def cast(self, x: Term, dtype: np.dtype[Any]) -> Term:
        if x.dtype == dtype:
            return x
        self.count += 1
        return Term(dtype)

    def whole(self, x: Term) -> Term:
        self.count += 1
        return Term(np.dtype(np.int64))

    def select(self, condition: Term, x: Term, y: Term) -> Term:
        self.count += 1
        return Term(x.dtype)

    def function(self, name: str, *xs: Term) -> Term:
        self.count += self.FUNCTION
        self.functions += 1
        return Term(xs[0].dtype)


def _analysed(name: str, result: str | None) -> Any:
    def method(self: Analysis, *xs: Term) -> Term:
        self.count += 1
        return Term(np.dtype(bool) if result == "bool" else xs[0].dtype)

    method.__name__ = name
    return method


#: NumPy's functions by the handlers' names.
UFUNCS: dict[str, np.ufunc] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "floordiv": np.floor_divide,
    "rem": np.fmod, "maximum": np.maximum, "minimum": np.minimum, "and_": np.bitwise_and,
    "or_": np.bitwise_or, "xor": np.bitwise_xor, "shl": np.left_shift, "shr": np.right_shift,
    "copysign": np.copysign, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal, "neg": np.negative, "abs": np.absolute, "sqrt": np.sqrt,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "not_": np.invert,
    "acosh": np.arccosh, **{name: ufunc for ufunc, name in NAMES.items()},
    **{name: getattr(np, name) for name in MATHEMATICS if isinstance(getattr(np, name, None), np.ufunc)},
}  # fmt: skip


for _name in (*BINARY, *UNARY):
    setattr(Analysis, _name, _analysed(_name, None))
for _name in COMPARISONS:
    setattr(Analysis, _name, _analysed(_name, "bool"))
