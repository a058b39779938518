"""A native function that calls one of NumPy's loops, or copies, over arrays of any strides, on threads.

What is shared out are rows along the last axis or, where there are few, stretches of them. A row's place is
found from its number, so parts need nothing of each other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from numpy import ndarray

from ...array.locks import computed
from ..emit.restricted_python import Bytes, Int, Object, Program, Words, copy, native, room, run
from ..passes import parallel_rows
from ..runtime import engine
from ..runtime.shared_kernels import address
from .jobs import Parts
from .ufunc_chains.loops import loop_of

#: Places in the context: units and parts, NumPy's loop and its data, stretches of a row, its elements, axes
#: in front of it, operands. The sizes of these axes follow, and of each operand its address, the bytes to the
#: next element and those to the next place along each of the axes; then the core's sizes and steps.
UNITS, PARTS, LOOP, DATA, STRETCHES, LENGTH, ALIGNED, CORES, RANK, COUNT, SIZES = range(11)
#: Operands at most, and their core's axes; elements in whose multiples rows are cut, so that vectors of
#: stretches lie alike.
OPERANDS, MOST_CORES, VECTORS = 4, 3, 64
#: Bytes up to which what is repeated grows.
REPEATED = 4096
#: Nanoseconds for a byte of a matrix of a stacked product: 2²⁰ float32 take 84 µs on one thread.
PRODUCT = 0.02
#: Units for each part at least where rows can be cut.
_FINE = 4


class StridedLoops:
    """The function, made when it is first asked for."""

    def __init__(self) -> None:
        self._library = engine.library(Program((loop_part, copy_row), {}))

    @computed
    def _parts(self) -> Parts:
        return Parts(self._library.address("loop_part"))

    @computed
    def _copy(self) -> int:
        return self._library.address("copy_row")

    def job(
        self, ufunc: np.ufunc | None, dtypes: Sequence[np.dtype], sizes: tuple[int, ...],
        steps: Sequence[tuple[int, ...]], work: float, cores: tuple[int, ...] = (),
        core_steps: Sequence[int] = (), aligned: int = VECTORS,
    ) -> Callable[[Sequence[int]], None] | None:  # fmt: skip
        """Return what calls a ufunc's loop for these dtypes, or copies, given the operands' addresses; None
        where there is no loop.

        `sizes` are of the axes, `steps` of each operand the bytes from place to place along the last axis and
        then along the others; the result is the last one. One thread may take `work` nanoseconds. `cores` and
        `core_steps` are what a generalised ufunc's loop is told of an element: its sizes, and two steps for
        each. Rows are cut at multiples of `aligned` elements.
        """
        try:
            found = loop_of(ufunc, tuple(dtypes)) if ufunc is not None else (self._copy, dtypes[0].itemsize)
        except LookupError:
            return None
        *outside, length = sizes
        rows = prod(outside)
        most = parallel_rows.count(rows * length, work, False, parallel_rows.FINE)
        stretches = 1 if most == 1 or rows >= _FINE * most else -(-_FINE * most // rows)
        stretches = max(1, min(stretches, length // aligned))
        units = rows * stretches
        parts = min(most, units)
        words = [units, parts, *found, stretches, length, aligned, len(cores)]
        words += [len(outside), len(steps), *outside]
        places = []
        for own in steps:
            places.append(len(words))
            words += (0, *own)
        words += (*cores, *core_steps)
        context, run = ctypes.c_int64 * len(words), self._parts.run
        template = bytes(context(*words))

        def job(addresses: Sequence[int]) -> None:
            given = context.from_buffer_copy(template)
            for place, where in zip(places, addresses, strict=True):
                given[place] = where
            run(given, parts)

        return job

    def products(self, x: ndarray, y: ndarray, out: ndarray) -> bool:
        """Write ``x @ y`` of stacks, one perhaps a single matrix, with the bits of NumPy, which calls BLAS
        for one matrix after another on the thread that asks; return whether there is a loop.
        """
        operands = x, y, out
        job = self.job(
            np.matmul, [v.dtype for v in operands], (len(out),),
            [(v.strides[0] if len(v) > 1 else 0,) for v in operands], (x.nbytes + y.nbytes) * PRODUCT,
            (*x.shape[1:], y.shape[2]), [step for v in operands for step in v.strides[1:]], 1,
        )  # fmt: skip
        if job is not None:
            job([*map(address, operands)])
        return job is not None


@native
def loop_part(context: Words, part: Int) -> None:
    """Call the loop on a part's share of the rows' stretches."""
    units = context[UNITS]
    parts = context[PARTS]
    loops: Object = context + LOOP
    loop: Object = loops[0]
    data: Object = loops[1]
    stretches = context[STRETCHES]
    length = context[LENGTH]
    aligned = context[ALIGNED]
    cores = context[CORES]
    rank = context[RANK]
    count = context[COUNT]
    sizes = context + SIZES
    pointers = room(OPERANDS)
    strides = room(OPERANDS + 2 * MOST_CORES)
    inner = room(1 + MOST_CORES)
    of_core = sizes + rank + count * (rank + 2)
    for c in range(cores):
        inner[1 + c] = of_core[c]
    for s in range(2 * cores):
        strides[count + s] = of_core[cores + s]
    for k in range(count):
        strides[k] = sizes[rank + k * (rank + 2) + 1]
    for unit in range(part * units // parts, (part + 1) * units // parts):
        row = unit // stretches
        stretch = unit - row * stretches
        begin = stretch * length // stretches // aligned * aligned
        end = length
        if stretch + 1 < stretches:
            end = (stretch + 1) * length // stretches // aligned * aligned
        inner[0] = end - begin
        for k in range(count):
            own = sizes + rank + k * (rank + 2)
            offset = begin * own[1]
            rest = row
            for d in range(rank):
                axis = rank - 1 - d
                before = rest // sizes[axis]
                offset = offset + (rest - before * sizes[axis]) * own[2 + axis]
                rest = before
            addresses: Object = own
            base: Bytes = addresses[0]
            pointers[k] = base + offset
        run(loop, pointers, inner, strides, data)


@native
def copy_row(pointers: Object, inner: Words, strides: Words, width: Int) -> None:
    """Do as a loop of NumPy's: copy elements of a width that follow one another in the target, and in the
    source, too, where its stride is not 0. One element is repeated by copies of what is there, which stays in
    the first-level cache.
    """
    source: Bytes = pointers[0]
    to: Bytes = pointers[1]
    size = inner[0] * width
    done = size
    if strides[0] == 0 and width < size:
        done = width
    copy(to, source, done)
    more = done
    while done < size:
        if more > size - done:
            more = size - done
        copy(to + done, to, more)
        done = done + more
        if done < REPEATED:
            more = done
