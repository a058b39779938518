"""Fourier transforms as loops: Stockham's form of the fast transform, of mixed radix.

pocketfft, which SciPy brings, is called as an array kernel: some µs for each call, and what is computed
around it is cut in two. Here elements are read as the loops around compute them, and a loop over steps that
transforms is rolled. A length with a prime factor above 13 is pocketfft's, and so are very long
transforms.

Each stage of radix r makes r·s interleaved transforms of length n / r of s of length n:
``y[q + s·(r·p + j)] = ωₙ^(p·j) · Σₖ ωᵣ^(j·k) · x[q + s·(p + k·n/r)]``, after which the order is natural.
Stockham 1966, "High-speed convolution and correlation"; Van Loan 1992, "Computational Frameworks for the
Fast Fourier Transform".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod, sqrt
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ..emit.emitter import Emitter
from ..runtime.engine import register_bytes
from .buffer import Buffer
from .butterflies import added, few, half_turns, radices, roots
from .context import INT64, Context
from .handlers import PARTS, Handler, Pair
from .index import Index, Indices, Variable, constant, linear, strides_of
from .lowered import Lowered, Routine, Shape
from .pairs import product
from .routines import filled, nest, spread, variables
from .vectors import Vectors, counted, in_vectors

#: The longest transform.
_LONGEST = 1 << 16


class _Rows(NamedTuple):
    """Say where parts of rows of complex numbers lie: real from `start`, imaginary `gap` behind."""

    buffer: Buffer
    start: Index
    gap: int

    def at(self, place: Index, part: int) -> tuple[Buffer, Index]:
        """Return where the part of an element is."""
        return self.buffer, self.start + place + self.gap * part

    def load(self, vectors: Vectors, place: Index) -> Pair:
        """Return the elements from a place on."""
        return Pair(*(vectors.load(*self.at(place, n)) for n in range(2)))

    def store(self, vectors: Vectors, place: Index, value: Pair) -> None:
        """Write elements from a place on."""
        for n in range(2):
            vectors.store(*self.at(place, n), value[n])

    def exchanged(self) -> _Rows:
        """Return rows in which the parts have changed their names."""
        return _Rows(self.buffer, self.start + self.gap, -self.gap)


Put = Callable[[Vectors, Index, Pair], None]


class _Transform:
    """Write the loops of transforms along an axis of complex values.

    Vectors are written out: of the copies between stages LLVM's vectoriser makes gathers, or ends the process
    (22). What is transformed is copied before, so that transforms of one size are one function.

    Its `shape` is ``(lead…, length, lanes…)``, `part` the dtype of a real or an imaginary part; the results
    are multiplied by `scale`.
    """

    def __init__(
        self, context: Context, shape: Shape, axis: int, part: np.dtype[Any], forward: bool, scale: float
    ) -> None:
        self.context, self.part, self.forward, self.scale = context, part, forward, scale
        self.lead, self.length, self.lanes = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
        self.stages = radices(self.length) or ()
        self.tables: dict[int, Buffer] = {}
        self.width = register_bytes() // part.itemsize
        left = self.length
        for radix in self.stages:
            if left > radix:
                self.tables[left] = context.table(roots(radix, left, part))
            left //= radix
        self.row = self.length * self.lanes

    def fill(
        self, given: Buffer, elements: int, write: Callable[[Any, Index], None], *others: Buffer
    ) -> Buffer:
        """Return memory that `write(handler, row)` fills, with two rows behind it for stages."""
        self.buffer = self.context.buffer((elements + 4 * self.row,), self.part)
        self.behind = elements

        def every(ops: Emitter) -> None:
            rows = Variable("row", self.lead)
            with counted(ops, rows):
                write(ops, spread([rows])[0])

        reads = [given, *self.tables.values(), *others]
        self.context.nodes.append(Routine(self.buffer, reads, write=every))
        return self.buffer

    def between(self, which: int) -> _Rows:
        """Return one of the two rows between stages."""
        return _Rows(self.buffer, constant(self.behind + 2 * which * self.row), self.row)

    def run(self, ops: Emitter, given: _Rows, target: _Rows | Put) -> None:
        """Write the stages.

        What is transformed may be given in the second of the rows between stages, and the results may go
        there, too: the last stage may write where it reads. Or `target` takes vectors of results that lie
        side by side, and where the first of them is.
        """
        if not self.forward:
            # The transform back is that of exchanged parts.
            given = given.exchanged()
            target = target.exchanged() if isinstance(target, _Rows) else _exchanging(target)
        s, here = 1, 0
        for radix in self.stages:
            m, run = self.length // (radix * s), s * self.lanes
            to = target if m == 1 else self.between(here)
            blocks = [Variable("p", m)] if m > 1 and run > 1 else []
            with counted(ops, *blocks):
                p = spread(blocks)[0] if blocks else constant(0)
                power = radix & (radix - 1) == 0
                width = self.width if run > 1 or power else 1
                for vectors, at in in_vectors(ops, self.part, width, run if run > 1 else m):
                    self._stage(vectors, given, to, radix, s, p, at)
            if isinstance(to, _Rows):
                given, here, s = to, 1 - here, s * radix

    def _stage(
        self, ops: Vectors, given: _Rows, target: _Rows | Put, radix: int, s: int, p: Index, at: Index
    ) -> None:
        """Write a stage for a vector of numbers: those of one block, or of neighbouring blocks."""
        run, m = s * self.lanes, self.length // (radix * s)
        first = at if run == 1 else p * run + at
        found = few(ops, [given.load(ops, first + m * run * k) for k in range(radix)])
        if m > 1:
            table = self.tables[self.length // s]
            for j in range(1, radix):
                place = (at if run == 1 else p) + (j - 1) * m
                parts = [place, place + (radix - 1) * m]
                if run == 1:
                    root = Pair(*(ops.load(table, part) for part in parts))
                else:
                    root = Pair(*(ops.spread(ops.ops.load(table, part)) for part in parts))
                found[j] = product(ops, found[j], root)
        elif self.scale != 1:
            by = ops.constant(self.scale, self.part)
            found = [Pair(ops.mul(x.real, by), ops.mul(x.imag, by)) for x in found]
        if not isinstance(target, _Rows):
            for j, value in enumerate(found):
                target(ops, at + j * run, value)
        elif run == 1 and m > 1:
            for n in range(2):
                for j, vector in enumerate(ops.interleaved([value[n] for value in found])):
                    ops.store(*target.at(at * radix + j * ops.lanes, n), vector)
        else:
            for j, value in enumerate(found):
                target.store(ops, (p * radix + j) * run + at, value)

    def mirrored(
        self, ops: Emitter, rows: _Rows, turns: Buffer,
        change: Callable[[Vectors, Pair, Pair, Pair, Index], None],
    ) -> None:  # fmt: skip
        """Let `change` have vectors of the elements k from 1 on of a row, their mirror images at length − k,
        the roots of unity exp(−πi·k/length), and their places.
        """
        lanes, half = self.lanes, self.length
        blocks = [Variable("p", half - 1)] if lanes > 1 else []
        with counted(ops, *blocks):
            row = spread(blocks)[0] + 1 if blocks else constant(1)
            for vectors, at in in_vectors(ops, self.part, self.width, lanes if blocks else half - 1):
                place, take = row * lanes + at, vectors.load if blocks else vectors.backwards
                far = (row * -1 + half) * lanes + at if blocks else place * -1 + half
                near = rows.load(vectors, place)
                image = Pair(*(take(*rows.at(far, n)) for n in range(2)))
                if blocks:
                    root = Pair(*(vectors.spread(ops.load(turns, row + half * n)) for n in range(2)))
                else:
                    root = Pair(*(vectors.load(turns, place + half * n) for n in range(2)))
                change(vectors, near, image, root, place)


def _exchanging(put: Put) -> Put:
    return lambda ops, place, value: put(ops, place, Pair(value.imag, value.real))


def _parts(
    context: Context, shape: Shape, part: np.dtype[Any], reads: Lowered, read: Callable[[Any, Indices], Pair]
) -> Buffer:
    """Return a buffer of the real parts that `read` gives, behind which the imaginary ones lie."""
    buffer, strides, size = context.buffer((2, *shape), part), strides_of(shape), prod(shape)

    def write(ops: Any) -> None:
        loops = variables("i", shape)
        with nest(ops, loops):
            place = linear(spread(loops), strides)
            for n, value in enumerate(read(ops, spread(loops))):
                ops.store(buffer, place + n * size, value)

    filled(context, buffer, write, lambda ops: reads.at(ops, spread(variables("i", reads.shape))))
    return buffer


def _as_pair(ops: Handler, x: Any) -> Pair:
    return x if isinstance(x, Pair) else Pair(x, ops.constant(0, x.dtype))


def _complex(buffer: Buffer, shape: Shape, dtype: np.dtype[Any]) -> Lowered:
    """Return the complex value whose real parts lie in a buffer, and behind them the imaginary ones."""
    strides, size = strides_of(shape), prod(shape)

    def body(ops: Handler, indices: Indices) -> Pair:
        place = linear(indices, strides)
        return Pair(ops.load(buffer, place), ops.load(buffer, place + size))

    return Lowered(shape, dtype, body, cost=2)


def _along(
    context: Context, x: Lowered, axis: int, dtype: np.dtype[Any], forward: bool, scale: float
) -> Lowered:
    """Return the transforms of complex or real values along an axis."""
    shape, part, size = x.shape, PARTS[dtype], prod(x.shape)
    given = _parts(context, shape, part, x, lambda ops, at: _as_pair(ops, x.at(ops, at)))
    made = _Transform(context, shape, axis, part, forward, scale)

    def write(ops: Any, row: Index) -> None:
        start = row * made.row
        made.run(ops, _Rows(given, start, size), _Rows(made.buffer, start, size))

    return _complex(made.fill(given, 2 * size, write), shape, dtype)


def _whole(context: Context, x: Lowered, axis: int, length: int) -> Lowered:
    """Return all frequencies, of which the second half are the conjugates of the first."""
    x = context.stored(x)
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    size, part = constant(length), PARTS[x.dtype]

    def body(ops: Any, at: Indices) -> Pair:
        here, there = ops.index(at[axis], INT64), ops.index(at[axis] * -1 + size, INT64)
        near = ops.le(here, there)
        place = ops.place(ops.select(near, here, there), x.shape[axis])
        found = x.at(ops, (*at[:axis], place, *at[axis + 1 :]))
        sign = ops.select(near, ops.constant(1, part), ops.constant(-1, part))
        return Pair(found.real, ops.mul(found.imag, sign))

    return Lowered(shape, x.dtype, body, cost=8)


def _of_real(context: Context, x: Lowered, axis: int, dtype: np.dtype[Any], scale: float) -> Lowered:
    """Return the first half of transforms of reals: neighbours are made complex numbers, half as many."""
    length, part = x.shape[axis], x.dtype
    half, lanes = length // 2, x.shape[axis + 1 :]
    shape = (*x.shape[:axis], half + 1, *lanes)
    if length % 2 or length < 4:
        whole = _along(context, x, axis, dtype, True, scale)
        return Lowered(shape, dtype, whole.body, cost=whole.cost)

    def pair(ops: Any, at: Indices) -> Pair:
        return Pair(*(x.at(ops, (*at[:axis], at[axis] * 2 + n, *at[axis + 1 :])) for n in range(2)))

    shorter = (*x.shape[:axis], half, *lanes)
    given = _parts(context, shorter, part, x, pair)
    made = _Transform(context, shorter, axis, part, True, 1)
    size, turns = prod(shape), context.table(half_turns(length, part))

    def write(ops: Emitter, row: Index) -> None:
        rows = made.between(1)
        made.run(ops, _Rows(given, row * made.row, prod(shorter)), rows)
        target = _Rows(made.buffer, row * (made.row + made.lanes), size)
        by = scale / 2

        for vectors, lane in in_vectors(ops, part, made.width, made.lanes):
            re, im = rows.load(vectors, lane)
            zero = vectors.constant(0, part)
            for place, real in ((lane, vectors.add(re, im)), (lane + made.row, vectors.sub(re, im))):
                target.store(vectors, place, Pair(vectors.mul(real, vectors.constant(scale, part)), zero))

        def change(ops: Vectors, near: Pair, image: Pair, root: Pair, place: Index) -> None:
            even = Pair(ops.add(near.real, image.real), ops.sub(near.imag, image.imag))
            # -i times the difference.
            odd = Pair(ops.add(near.imag, image.imag), ops.sub(image.real, near.real))
            re, im = added(ops, even, product(ops, odd, root))
            target.store(ops, place, Pair(*(ops.mul(x, ops.constant(by, part)) for x in (re, im))))

        made.mirrored(ops, rows, turns, change)

    return _complex(made.fill(given, 2 * size, write, turns), shape, dtype)


def _to_real(
    context: Context, x: Lowered, axis: int, length: int, part: np.dtype[Any], scale: float
) -> Lowered:
    """Return the real values, an even number, of whose transforms the first half is given."""
    half, lanes = length // 2, x.shape[axis + 1 :]
    given = _parts(context, x.shape, part, x, lambda ops, at: x.at(ops, at))
    made = _Transform(context, (*x.shape[:axis], half, *lanes), axis, part, False, scale)
    shape = (*x.shape[:axis], length, *lanes)
    strides, turns = strides_of(shape), context.table(half_turns(length, part))

    def write(ops: Emitter, row: Index) -> None:
        halves = _Rows(given, row * (made.row + made.lanes), prod(x.shape))
        rows = made.between(1)
        for vectors, lane in in_vectors(ops, part, made.width, made.lanes):
            ends = [vectors.load(*halves.at(place, 0)) for place in (lane, lane + made.row)]
            rows.store(vectors, lane, Pair(vectors.add(*ends), vectors.sub(*ends)))

        def change(ops: Vectors, near: Pair, image: Pair, root: Pair, place: Index) -> None:
            even = Pair(ops.add(near.real, image.real), ops.sub(near.imag, image.imag))
            gap = Pair(ops.sub(near.real, image.real), ops.add(near.imag, image.imag))
            turned = product(ops, gap, Pair(root.real, ops.neg(root.imag)))
            value = Pair(ops.sub(even.real, turned.imag), ops.add(even.imag, turned.real))
            rows.store(ops, place, value)

        made.mirrored(ops, halves, turns, change)
        start = row * (2 * made.row)

        def put(vectors: Vectors, place: Index, value: Pair) -> None:
            for n, vector in enumerate(vectors.interleaved(value)):
                vectors.store(made.buffer, start + place * 2 + n * vectors.lanes, vector)

        if made.lanes == 1:
            made.run(ops, rows, put)
            return
        made.run(ops, rows, rows)
        loop = Variable("k", half)
        with counted(ops, loop):
            k = spread([loop])[0]
            for vectors, lane in in_vectors(ops, part, made.width, made.lanes):
                value = rows.load(vectors, k * made.lanes + lane)
                for n in range(2):
                    vectors.store(made.buffer, start + (k * 2 + n) * made.lanes + lane, value[n])

    buffer = made.fill(given, prod(shape), write, turns)

    def body(ops: Handler, indices: Indices) -> Any:
        return ops.load(buffer, linear(indices, strides))

    return Lowered(shape, part, body, cost=1)


# --- the ops ------------------------------------------------------------------------------------------------


def _scale(normalization: int, count: int) -> float:
    return (1.0, 1 / sqrt(count), 1 / count)[normalization]


def _fits(shape: Shape, dims: Sequence[int]) -> bool:
    """Return whether loops serve transforms along axes: an axis of one element has no stage, which writes."""
    return all(shape[d] <= _LONGEST and radices(shape[d]) for d in dims)


def complex_transform(
    context: Context, x: Lowered, dims: tuple[int, ...], normalization: int, forward: bool
) -> Lowered | None:
    """Lower transforms of complex values."""
    if not dims or not _fits(x.shape, dims):
        return None
    scale = _scale(normalization, prod(x.shape[d] for d in dims))
    return _over(context, x, dims, x.dtype, forward, scale)


def _over(
    context: Context, x: Lowered, dims: Sequence[int], dtype: np.dtype[Any], forward: bool, scale: float
) -> Lowered:
    """Return transforms along axes, from the last one."""
    for n, d in enumerate(reversed(dims)):
        x = _along(context, x, d, dtype, forward, scale if n == len(dims) - 1 else 1)
    return x


def real_transform(
    context: Context, x: Lowered, dims: tuple[int, ...], normalization: int, onesided: bool
) -> Lowered | None:
    """Lower transforms of real values; where they are not one-sided, mirrored halves are the others'."""
    dtype = context.results[0][1]
    if not _fits(x.shape, dims) or PARTS[dtype] != x.dtype:
        return None
    scale = _scale(normalization, prod(x.shape[d] for d in dims))
    if not onesided:
        return _over(context, x, dims, dtype, True, scale)
    *others, last = dims
    found = _of_real(context, x, last, dtype, 1 if others else scale)
    return _over(context, found, others, dtype, True, scale)


def transform_to_real(
    context: Context, x: Lowered, dims: tuple[int, ...], normalization: int, size: int
) -> Lowered | None:
    """Lower transforms back to real values."""
    *others, last = dims
    part = context.results[0][1]
    shape = (*x.shape[:last], size, *x.shape[last + 1 :])
    if x.shape[last] != size // 2 + 1 or not _fits(shape, dims):
        return None
    scale = _scale(normalization, prod(shape[d] for d in dims))
    x = _over(context, x, others, x.dtype, False, 1)
    if size % 2 == 0 and size >= 4:
        return _to_real(context, x, last, size, part, scale)
    found = _along(context, _whole(context, x, last, size), last, x.dtype, False, scale)
    return Lowered(shape, part, lambda ops, indices: found.at(ops, indices).real, cost=1)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "fft_c2c": complex_transform,
    "fft_c2r": transform_to_real,
    "fft_r2c": real_transform,
}
