"""Columns: the places of an array under the taps of a kernel, side by side, in blocks that stay in the cache.

A convolution is a sum of matrix products of the weight with the columns, one product for each tap along the
first axis: a tap along that axis finds its columns in those of another, some rows further on. So there are a
kernel's height fewer copies than columns. Blocks run on several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from .blas import single_threaded
from .geometry import Pads
from .named_tuples import NamedTuple
from .threads import run_parts, split, worthwhile

#: Bytes of columns in a block, and the depth of a product below which one for each tap costs more than the
#: copies that it saves.
BLOCK_BYTES, _DEPTH = 1 << 20, 24

#: How many times as many rows a block has as it copies for its last taps alone, up to so many times
#: `BLOCK_BYTES`: a volume's planes are seldom several to a block.
_HALO, _LARGEST = 4, 8

# What the copies cost, in ns (measured): an element of a long contiguous run, the start of a run, an element
# that changes place in a transposition; and a multiplication in a matrix product of small blocks.
COPY, RUN, TRANSPOSE, MULTIPLY = 0.06, 6.0, 0.45, 0.02

#: Less work than this, in ns, is not worth waking a thread for: where parts are short, their threads wait for
#: the interpreter and for one another. On a busy machine a step of three 3×3 convolutions of 0.5 to 1 ms
#: each, with what lies between, took 27 ms with two threads and 22 with one; a LeNet's, with smaller ones,
#: about a tenth longer with one. On an idle machine this has yet to be measured.
WORTH_THREADS = 2_000_000


class Block(NamedTuple):
    """A stretch of images, and in them of output places that follow one another in memory."""

    images: slice
    starts: tuple[int, ...]
    counts: tuple[int, ...]
    places: slice


class Columns:
    """The places of `x` under the taps, side by side, block by block; `out_channels` are those of a group."""

    def __init__(
        self, x: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int],
        output: Sequence[int], out_channels: int, groups: int,
    ) -> None:
        images, channels = x.shape[:2]
        self.shape = (out_channels * groups, channels // groups, *kernel)
        self.places = prod(output)
        self.grouped = (groups,) if groups > 1 else ()
        first = [low for low, _ in pads]
        self.is_plain = all(k == s == 1 for k, s in zip(kernel, stride)) and not any(map(any, pads))
        if self.is_plain:
            x = np.ascontiguousarray(x)
        if len(kernel) == 1 or channels // groups * prod(kernel[1:]) < _DEPTH:
            x = x[:, :, None]
            kernel, stride, dilation, output = (1, *kernel), (1, *stride), (1, *dilation), (1, *output)
            first = [0, *first]
        self.x, self.kernel, self.stride, self.dilation, self.first = x, kernel, stride, dilation, first
        self.depth = channels // groups * prod(kernel[1:])
        # Rows of x that taps share have the same remainder by the stride.
        offsets = [divmod(tap * dilation[0], stride[0]) for tap in range(kernel[0])]
        self.phases = sorted({phase for _, phase in offsets})
        self.taps = [(self.phases.index(phase), shift) for shift, phase in offsets]
        self.reach = offsets[-1][0]
        self.rows = 0 if self.is_plain else self.depth * groups * len(self.phases)

        work = images * self.places * self.depth * groups * kernel[0] * (COPY + out_channels * MULTIPLY)
        parts = min(worthwhile(int(work), WORTH_THREADS), images * self.places)
        inner = prod(output[1:])
        budget = max(1, BLOCK_BYTES // (max(1, self.rows) * x.itemsize))
        whole = (output[0] + self.reach) * inner
        batch = images if self.is_plain else budget // whole
        batch = min(batch, -(-images // parts)) if images >= parts else 0
        self.blocks: list[Block] = []
        for start in range(0, images, batch or 1):
            stretch = slice(start, min(start + (batch or 1), images))
            most = self.places
            if not batch:
                halo = self.reach * inner
                most = max(budget - halo, min(_HALO * halo, _LARGEST * budget), 1)
                most = min(most, -(-images * self.places // parts))
            self.blocks += rows_of(output, most, stretch)
        self.parts = min(parts, len(self.blocks))

    def run(self, w: ndarray, y: ndarray, bias: ndarray | None) -> None:
        """Write w ``(O, C / groups, *kernel)`` times the columns, plus a bias ``(O,)``, into y."""
        taps, groups = self.kernel[0], prod(self.grouped)
        turned = w.reshape(groups, len(w) // groups, w.shape[1], taps, -1).transpose(3, 0, 1, 2, 4)
        turned = turned.reshape(taps, *self.grouped, len(w) // groups, self.depth)
        level = None if bias is None else bias.reshape(*self.grouped, -1, 1)
        flat = y.reshape(len(y), *self.grouped, -1, self.places)

        def part(blocks: Sequence[Block], _: int) -> None:
            for block, columns in self._each(blocks):
                target = flat[block.images, ..., block.places]
                np.matmul(turned[0], columns[0], out=target)
                spare = np.empty(target.shape, y.dtype) if taps > 1 else target
                for factor, column in zip(turned[1:], columns[1:], strict=True):
                    np.matmul(factor, column, out=spare)
                    np.add(target, spare, out=target)
                if level is not None:
                    np.add(target, level, out=target)

        self._run_parts(part)

    def products(self, y: ndarray) -> ndarray:
        """Return the columns times y, summed over places and images: ``(O, C / groups, *kernel)``.

        The columns are the first factor because OpenBLAS's kernels for AVX-512 are slow where that is the
        narrow one: (32, 8192) times (8192, 144) takes 1.04 ms, its transpose 0.47; those for AVX2 0.82 and
        0.76.
        """
        taps, groups = self.kernel[0], prod(self.grouped)
        flat = y.reshape(len(y), *self.grouped, -1, self.places)
        sums = np.zeros((self.parts, taps, *self.grouped, self.depth, flat.shape[-2]), y.dtype)

        def part(blocks: Sequence[Block], index: int) -> None:
            for block, columns in self._each(blocks):
                factor = flat[block.images, ..., block.places].swapaxes(-1, -2)
                for total, column in zip(sums[index], columns, strict=True):
                    found = np.matmul(column, factor)
                    total += found[0] if len(found) == 1 else np.add.reduce(found, axis=0)

        self._run_parts(part)
        total = np.add.reduce(sums, axis=0).reshape(taps, groups, self.shape[1], -1, flat.shape[-2])
        return np.ascontiguousarray(total.transpose(1, 4, 2, 0, 3)).reshape(self.shape)

    def _run_parts(self, part: Callable[[Sequence[Block], int], None]) -> None:
        bounds = split(len(self.blocks), self.parts)
        run_products(lambda i: part(self.blocks[slice(*bounds[i])], i), self.parts)

    def _each(self, blocks: Sequence[Block]) -> Iterator[tuple[Block, list[ndarray]]]:
        """Yield each block with its columns under each tap of the first axis, ``(images, …, places)``."""
        spare = np.empty(0, self.x.dtype)
        before: Any = None
        for block in blocks:
            x = self.x[block.images]
            if self.is_plain:
                yield block, [x.reshape(len(x), *self.grouped, self.depth, -1)[..., block.places]]
                continue
            high, *wide = block.counts
            shape = (len(self.phases), *x.shape[:2], *self.kernel[1:], high + self.reach, *wide)
            if spare.size < prod(shape):
                spare = np.empty(prod(shape), x.dtype)
            box = spare[: prod(shape)].reshape(shape)
            # Zeros stand where they stood in a block like this one.
            self._fill(box, x, block, clean=before == (block.starts, shape))
            before = block.starts, shape
            rows = box.reshape(len(self.phases), len(x), *self.grouped, self.depth, -1)
            inner, places = prod(wide), prod(block.counts)
            yield block, [
                rows[phase][..., shift * inner : shift * inner + places] for phase, shift in self.taps
            ]

    def _fill(self, box: ndarray, x: ndarray, block: Block, clean: bool) -> None:
        """Copy what lies under the taps of all axes but the first into a box of columns."""
        starts = [start * s - low for start, s, low in zip(block.starts, self.stride, self.first)]
        lengths, extents = box.shape[-len(starts) :], x.shape[2:]
        outer = [span(starts[0] + phase, self.stride[0], lengths[0], extents[0]) for phase in self.phases]
        inner = [
            [span(starts[a] + i * self.dilation[a], self.stride[a], lengths[a], extents[a])
             for i in range(self.kernel[a])]
            for a in range(1, len(starts))
        ]  # fmt: skip
        if not clean:
            edges = zip(lengths, [outer, *inner], strict=True)
            if any(target.stop - target.start < length for length, along in edges for target, _ in along):
                box.fill(0)
        every = slice(None)
        for phase, row in zip(box, outer, strict=True):
            for tap in product(*map(range, self.kernel[1:])):
                places = [row, *[along[i] for along, i in zip(inner, tap, strict=True)]]
                target = phase[(every, every, *tap, *[target for target, _ in places])]
                target[...] = x[(every, every, *[source for _, source in places])]


def span(first: int, step: int, count: int, size: int) -> tuple[slice, slice]:
    """Return the n < count whose ``first + step·n`` lie on an axis of a size, and those places."""
    low = min(max(0, -(first // step)), count)
    high = max(low, min(count, -((first - size) // step)))
    begin = first + low * step
    return slice(low, high), slice(begin, begin + (high - low - 1) * step + 1 if high > low else begin, step)


def run_products(part: Callable[[int], None], parts: int) -> None:
    """Call `run_parts` with one thread of BLAS for each part: on small products more cost time."""
    with single_threaded():
        run_parts(part, parts)


def rows_of(output: Sequence[int], budget: int, images: slice) -> Iterator[Block]:
    """Cut ``range(prod(output))`` into boxes of at most about `budget` places that follow one another."""
    axis = 0
    while axis < len(output) - 1 and prod(output[axis + 1 :]) > budget:
        axis += 1
    inner = prod(output[axis + 1 :])
    rows = max(1, min(output[axis], budget // inner))
    place = 0
    for outer in product(*map(range, output[:axis])):
        for start in range(0, output[axis], rows):
            count = min(rows, output[axis] - start)
            yield Block(
                images,
                (*outer, start, *(0 for _ in output[axis + 1 :])),
                (*(1 for _ in outer), count, *output[axis + 1 :]),
                slice(place, place + count * inner),
            )
            place += count * inner
