"""Iteration spaces: which loops a kernel runs, and what an element's indices are in terms of them.

A space is rows times the elements of a row. The kept axes of a reduction, taken together, are the row; the
reduced axes, those that lie side by side merged, are one or more inner loops. A space without reduction is
cut where every access is affine in the innermost loop, and a space that is affine throughout is cut into
blocks.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from .index import Index, Indices, Variable, atom_index, constant, linear, reshaped, strides_of, unravel

#: Elements of a row where rows are only blocks of a long array.
BLOCK = 4096


#: Spaces and places in them are made once: 7,000 kernels of a long program have some dozens of them.
once = functools.lru_cache(4096)


@dataclass(eq=False)
class Domain:
    """Loops over the elements of a shape."""

    shape: tuple[int, ...]
    #: Axes of `shape` that one row fixes.
    kept: tuple[int, ...]
    #: Groups of neighbouring axes, a loop each.
    inner: tuple[tuple[int, ...], ...]
    #: The shape is one axis, cut into blocks of `BLOCK`; the last may be shorter.
    blocked: bool = False
    #: The last group is kept, too: a row has a lane for each of its elements, side by side in memory, and a
    #: reduction has an element for each row and lane.
    laned: bool = False
    row: Variable = field(init=False)
    loops: tuple[Variable, ...] = field(init=False)

    def __post_init__(self) -> None:
        if self.blocked:
            blocks = -(-self.shape[0] // BLOCK)
            self.row = Variable("r", blocks)
            self.loops = (Variable("c0", min(BLOCK, self.shape[0])),)
            return
        self.row = Variable("r", prod(self.shape[a] for a in self.kept))
        self.loops = tuple(
            Variable(f"c{n}", prod(self.shape[a] for a in group)) for n, group in enumerate(self.inner)
        )

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    @property
    def rows(self) -> int:
        return self.row.extent

    @property
    def columns(self) -> int:
        """Return elements of a row."""
        return prod(v.extent for v in self.loops)

    @property
    def lanes(self) -> int:
        """Return lanes of a row."""
        return self.loops[-1].extent if self.laned else 1

    @once
    def with_last_apart(self) -> Domain:
        """Return the space with a loop of its own for the last axis that the innermost loop goes along."""
        if not self.inner or len(self.inner[-1]) < 2:
            return self
        *others, last = self.inner
        if self.laned:
            return Domain(self.shape, (*self.kept, *last[:-1]), (*others, last[-1:]), laned=True)
        return Domain(self.shape, self.kept, (*others, last[:-1], last[-1:]))

    def key(self) -> tuple[object, ...]:
        """Return what is equal for equal spaces."""
        return self.shape, self.kept, self.inner, self.blocked, self.laned

    def _indices(self) -> Indices:
        if self.blocked:
            return (atom_index(self.row) * BLOCK + atom_index(self.loops[0]),)
        result: list[Index] = [constant(0)] * len(self.shape)
        parts = [(self.kept, self.row), *zip(self.inner, self.loops, strict=True)]
        for axes, variable in parts:
            extents = [self.shape[a] for a in axes]
            for axis, index in zip(axes, unravel(atom_index(variable), extents), strict=True):
                result[axis] = index
        return tuple(result)

    @once
    def indices(self, shape: tuple[int, ...]) -> Indices:
        """Return indices into an array of as many elements as the space, in its order."""
        own = self._indices()
        return own if shape == self.shape else reshaped(own, shape, self.shape)

    def row_indices(self, shape: Sequence[int]) -> Indices:
        """Return indices into an array of an element per row."""
        return reshaped((atom_index(self.row),), shape, (self.rows,))

    def lane_indices(self, shape: Sequence[int]) -> Indices:
        """Return indices into an array of an element per row and lane."""
        own = atom_index(self.row) if self.rows > 1 else constant(0)
        return reshaped((own, self.lane()), shape, (self.rows, self.lanes))

    def lane(self) -> Index:
        """Return the position among the lanes."""
        return atom_index(self.loops[-1])

    def column(self) -> Index:
        """Return the position within a row."""
        return linear((atom_index(v) for v in self.loops), strides_of([v.extent for v in self.loops]))


@once
def reduced(shape: tuple[int, ...], axes: tuple[int, ...]) -> Domain:
    """Return the space of a reduction over `axes`.

    Over leading axes it goes along the rows that are added up: passing down each column would read memory
    in strides. Axes of one element lead and follow nothing: batch norm of (4096, 64), whose places are such
    an axis, took 22 ms, and takes 0.3.
    """
    long = [a for a, extent in enumerate(shape) if extent > 1]
    gone = {a for a in axes if shape[a] > 1}
    kept = tuple(a for a in long if a not in gone)
    if kept and gone and gone == set(long[: len(gone)]):
        return split(shape, max(gone) + 1)
    return Domain(shape, kept, neighbours(sorted(gone)))


def neighbours(axes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return axes in groups of those that lie side by side."""
    groups: list[list[int]] = []
    for axis in axes:
        if groups and groups[-1][-1] == axis - 1:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return tuple(tuple(g) for g in groups)


#: Lanes of which a vector register is filled; what is added up in each in sequence, at most, over axes that
#: lie side by side, and over others, whose sums are as long in sequence in loops over rows, too.
WIDTH, TERMS, TERMS_APART = 8, 256, 1024


@once
def in_lanes(shape: tuple[int, ...], axes: tuple[int, ...]) -> Domain | None:
    """Return the space of a reduction over axes before the last kept ones, which are lanes.

    LLVM vectorizes innermost loops alone, and one over the reduced axis goes through memory in strides:
    logsumexp of (2, 5, 5000) took 9.2 ns an element, and takes 0.9 in lanes, a sum of (33, 65, 17, 31) over
    axes 0 and 2 took 0.8 and takes 0.25. Where that is worth it no more, return None.
    """
    gone = [a for a, extent in enumerate(shape) if a in axes and extent > 1]
    last = max(gone, default=0)
    kept = tuple(a for a, extent in enumerate(shape[:last]) if a not in gone and extent > 1)
    behind = tuple(range(last + 1, len(shape)))
    groups = neighbours(gone)
    most = TERMS if len(groups) == 1 else TERMS_APART
    lanes = prod(shape[a] for a in behind)
    if not kept or lanes < WIDTH or not 1 < prod(shape[a] for a in gone) <= most:
        return None
    if len(groups) > 1 and lanes % WIDTH and lanes < 2 * WIDTH:
        # Sums of (8, 4, 32, 12) over axes 0 and 2 take 7 µs in strides, and in lanes 15.
        return None
    return Domain(shape, kept, (*groups, behind), laned=True)


@once
def split(shape: tuple[int, ...], count: int) -> Domain:
    """Return the space whose rows are the first `count` axes."""
    rank = len(shape)
    inner = (tuple(range(count, rank)),) if count < rank else ()
    return Domain(shape, tuple(range(count)), inner)


@once
def flat(size: int) -> Domain:
    """Return the space of a long array, in blocks."""
    return Domain((size,), (), (), blocked=True)


@once
def stream(size: int) -> Domain:
    """Return the space of an array without rows: any part of it may be worked off by itself.

    The code for it does not depend on the size.
    """
    return Domain((size,), (0,), ())
