"""Lowered values: what a program's equations become before they are grouped into loops.

A value is a *map*, a function from indices to a scalar that is computed wherever it is read, or it lies in a
`Buffer`. Buffers are filled by *nodes*: a `Map` stores a map's elements, a `Reduction` combines them over
some axes, a `Contraction` is a matrix product, a `Routine` writes its own loops, a `Precompiled` was compiled
apart, a `Call` runs an op's array kernel. Bodies are functions over a scalar handler, ``ops`` (see
`handlers`), so that the same body is analysed, emitted as LLVM and interpreted in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...array.records import record
from .buffer import Buffer
from .filling import Filling, Node
from .handlers import Handler
from .index import Indices

Shape = tuple[int, ...]
Scalar = Any
Body = Callable[[Any, Indices], Scalar]

#: How a reduction combines two values, and what leaves the other as it is; None where the dtype says that.
COMBINE: dict[str, tuple[str, Any]] = {
    "sum": ("add", 0), "prod": ("mul", 1), "any": ("or_", False), "all": ("and_", True),
    "maximum": ("maximum", None), "minimum": ("minimum", None),
}  # fmt: skip


@record(eq=False)
class Lowered:
    """One value: its shape and dtype, and how an element of it is had."""

    shape: Shape
    dtype: np.dtype[Any]
    body: Body
    buffer: Buffer | None = None
    #: Scalar operations per element, those of other maps that it reads included.
    cost: int = 0
    #: Where it was stored, for those who ask again.
    kept: Buffer | None = None
    #: The operations of `cost` alone, where they were counted; a load is none.
    count: int | None = None
    #: The buffers that an element is computed from, in order and as often as they are loaded, where each is
    #: read at the element's own place or has no axes; None where that is not known.
    even: tuple[Buffer, ...] | None = None

    def at(self, ops: Handler, indices: Indices) -> Scalar:
        """Return the element at some indices."""
        return self.body(ops, indices)

    def rearranged(self, shape: Shape, place: Callable[[Indices], Indices]) -> Lowered:
        """Return the value that has at each index the element that is here at ``place(index)``."""
        return Lowered(shape, self.dtype, lambda ops, at: self.body(ops, place(at)), cost=self.cost)


@record(eq=False, kw_only=True)
class Map(Node):
    """``buffer[i] = body(i)`` for every index of the buffer's shape."""

    body: Body
    #: What `Lowered` has under these names.
    even: tuple[Buffer, ...] | None = None
    count: int = 0

    @property
    def shape(self) -> Shape:
        """Return the iteration space."""
        return self.buffer.shape


@record(eq=False, kw_only=True)
class Reduction(Node):
    """``buffer[kept] = combine of body(i)`` over the indices along `axes`."""

    #: The iteration space; the buffer has it without `axes`.
    shape: Shape
    axes: tuple[int, ...]
    #: One of `COMBINE`.
    combine: str
    body: Body
    #: Like `buffer`, for the sums of a stretch of rows.
    spare: Buffer | None = None


@record(eq=False, kw_only=True)
class Routine(Node):
    """Loops that do not fit the kernels' form: ``write(ops)`` writes them on an emitter."""

    write: Callable[[Any], None]
    #: One that `buffer` begins as, and may lie in the memory of.
    over: Buffer | None = None


@record(eq=False, kw_only=True)
class Precompiled(Filling):
    """Machine code that was compiled apart, for any program that has arrays of these shapes."""

    #: See `apart`.
    kernel: Any
    #: How many of what it is run on.
    images: int
    #: What it reads and fills, in its order.
    operands: tuple[Buffer | None, ...]
    #: Multiplications and additions of a convolution.
    flops: int = 0


class Matrix(NamedTuple):
    """A matrix, or a batch of them, in a buffer: an element is at ``offset + Σ index · stride``."""

    buffer: Buffer
    offset: int
    batch: tuple[int, ...]
    strides: tuple[int, int]


@record(eq=False, kw_only=True)
class Contraction(Node):
    """``buffer[b, i, j] = alpha · Σ_k left[b, i, k] · right[b, k, j]``."""

    left: Matrix
    right: Matrix
    #: Of i, j and k.
    extents: tuple[int, int, int]
    #: Extents of the batch axes; strides of 0 in an operand repeat it.
    batch: Shape = ()
    alpha: float = 1.0


@record(eq=False, kw_only=True)
class Loop(Filling):
    """A loop over steps: the body runs on the carry, on slices of some operands, and on the others as they
    are; it gives the next carry and slices of the stacked outputs.

    Its outputs are the last carry, what is stacked, and whether a step refuses its results where the body
    may.
    """

    #: The first carry, what is sliced, what is held.
    operands: tuple[Buffer, ...]
    #: The body: its inputs stand for the operands, its outputs for the outputs. Then, where the number of
    #: steps is not known, the condition to go on, which has the same inputs.
    bodies: list[Any]
    carries: int
    #: Of each operand that is sliced: bytes from one slice to the next, and to the first.
    slices: tuple[tuple[int, int], ...] = ()
    #: Number of steps; 0 where a condition tells.
    length: int = 0
    #: Whether the last slices come first.
    reverse: bool = False


@record(eq=False, kw_only=True)
class Branch(Filling):
    """One of two bodies: the first where a bool is true.

    Its outputs are what they give, and whether the results are refused where a body may.
    """

    #: The bool, then what both bodies take.
    operands: tuple[Buffer, ...]
    bodies: list[Any]
