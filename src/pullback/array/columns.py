"""Columns: the places of an array under the taps of a kernel, side by side, in blocks that stay in the cache.

A convolution is one matrix product of the weight with the columns of each block; blocks run on several
threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy import ndarray
from numpy.lib.stride_tricks import as_strided

from .blas import single_threaded
from .geometry import Pads, apart, pad_into
from .threads import get_num_threads, run_parts, split

#: Bytes of columns in a block. Measured from 0.25 to 4 MiB: beyond the second-level cache, but a quarter of
#: the calls.
BLOCK_BYTES = 2 << 20

# What the copies cost, in ns (measured): an element of a long contiguous run, the start of a run, a strided
# element, an element that changes place in a transposition; and a multiplication in a matrix product of small
# blocks.
COPY, RUN, STRIDED, TRANSPOSE, MULTIPLY = 0.06, 6.0, 0.25, 0.45, 0.02

#: Less work than this, in ns, is not worth waking a thread for: where parts are short, their threads wait for
#: the interpreter and for one another. On a busy machine a step of three 3×3 convolutions of 0.5 to 1 ms
#: each, with what lies between, took 27 ms with two threads and 22 with one; a LeNet's, with smaller ones,
#: about a tenth longer with one. On an idle machine this has yet to be measured.
WORTH_THREADS = 2_000_000.0


class Block(NamedTuple):
    """A stretch of images, and in them of output places that follow one another in memory."""

    images: slice
    starts: tuple[int, ...]
    counts: tuple[int, ...]
    places: slice


class Columns:
    """The places of `x` under the taps, side by side, block by block.

    Two layouts. With images first, the columns of a block are ``(images, C, *kernel, *places)``: copied in
    runs of one output row, and the products come out in place. With images last, ``(C, *kernel, *places,
    images)``, the runs are longer by the number of images, and x and the products are transposed: better for
    small images (16×14×14, batch 64, 5×5 kernel: 0.25 ms against 0.6).
    """

    def __init__(
        self, x: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int],
        output: Sequence[int], out_channels: int, groups: int,
    ) -> None:
        self.kernel, self.stride, self.pads, self.dilation = kernel, stride, pads, dilation
        self.output, self.groups = output, groups
        self.grouped = (groups,) if groups > 1 else ()
        self.places = prod(output)
        images, channels = x.shape[:2]
        rows = channels * prod(kernel)
        self.depth = rows // groups
        padded = any(low or high for low, high in pads)
        self.is_plain = all(k == s == 1 for k, s in zip(kernel, stride)) and not padded
        self.x = np.ascontiguousarray(x) if self.is_plain else x
        budget = max(1, BLOCK_BYTES // (rows * x.itemsize))

        run, one = output[-1], COPY if stride[-1] == 1 else STRIDED
        first = 0.0 if self.is_plain else rows * self.places * (one + RUN / run)
        batch = min(images, 32)
        moved = prod(x.shape[1:]) + out_channels * groups * self.places
        last = rows * self.places * (COPY + RUN / (run * batch)) + moved * TRANSPOSE
        self.images_last = last < first and images > 1
        multiply = rows * self.places * out_channels * MULTIPLY
        work = images * (min(first, last) + multiply)
        self.parts = min(get_num_threads(), images * self.places) if work > WORTH_THREADS else 1

        if self.images_last:
            self.batch = min(batch, -(-images // self.parts))
            stretches = [slice(i, min(i + self.batch, images)) for i in range(0, images, self.batch)]
            self.blocks = [[*rows_of(output, max(1, budget // self.batch), images)] for images in stretches]
        else:
            budget = min(budget, -(-images * self.places // self.parts))
            if self.is_plain and images >= self.parts:
                budget = -(-images // self.parts) * self.places  # nothing is copied: one product per image
            self.batch = max(1, min(images, budget // self.places))
            stretches = [slice(i, min(i + self.batch, images)) for i in range(0, images, self.batch)]
            self.blocks = [[block] for images in stretches for block in rows_of(output, budget, images)]
        self.parts = min(self.parts, len(self.blocks))

    def run(self, w: ndarray, y: ndarray, bias: ndarray | None) -> None:
        """Write w ``(groups, O / groups, depth)`` times the columns, plus a bias ``(O,)``, into y."""
        w = w[0] if self.groups == 1 else w
        level = None if bias is None else bias.reshape(*self.grouped, -1, 1)
        flat = y.reshape(len(y), *self.grouped, -1, self.places)

        def part(blocks: Sequence[Sequence[Block]], _: int) -> None:
            for images, stretch in self._each(blocks):
                if not self.images_last:
                    for block, columns in stretch:
                        target = flat[images, ..., block.places]
                        np.matmul(w, columns, out=target)
                        if level is not None:
                            np.add(target, level, out=target)
                    continue
                products = np.empty((*flat.shape[1:], images.stop - images.start), y.dtype)
                for block, columns in stretch:
                    target = merge_last(products[..., block.places, :])
                    np.matmul(w, columns, out=target)
                    if level is not None:
                        np.add(target, level, out=target)
                flat[images] = np.moveaxis(products, -1, 0)

        self._run_parts(part)

    def run_products(self, y: ndarray, sums: ndarray) -> None:
        """Add the columns times y, summed over places and images, to ``sums[part]`` ``(groups, depth, O /
        groups)``.

        In this order because OpenBLAS's kernels for AVX-512 are slow where the first factor is the narrow
        one: (32, 8192) times (8192, 144) takes 1.04 ms, its transpose 0.47; those for AVX2 0.82 and 0.76.
        """
        sums = sums[:, 0] if self.groups == 1 else sums
        flat = y.reshape(len(y), *self.grouped, -1, self.places)

        def part(blocks: Sequence[Sequence[Block]], index: int) -> None:
            for images, stretch in self._each(blocks):
                turned = None
                if self.images_last:
                    turned = np.ascontiguousarray(np.moveaxis(apart(flat[images]), 0, -1))
                for block, columns in stretch:
                    if turned is not None:
                        factor = merge_last(turned[..., block.places, :])
                        sums[index] += np.matmul(columns, factor.swapaxes(-1, -2))
                    else:
                        factor = flat[images, ..., block.places]
                        products = np.matmul(columns, factor.swapaxes(-1, -2))
                        sums[index] += products[0] if len(products) == 1 else products.sum(axis=0)

        self._run_parts(part)

    def _run_parts(self, part: Callable[[Sequence[Sequence[Block]], int], None]) -> None:
        bounds = split(len(self.blocks), self.parts)
        run_products(lambda i: part(self.blocks[bounds[i][0] : bounds[i][1]], i), self.parts)

    def _each(
        self, stretches: Sequence[Sequence[Block]]
    ) -> Iterator[tuple[slice, Iterator[tuple[Block, ndarray]]]]:
        """Yield for each stretch of images its blocks with their columns, ``([images,] [groups,] depth,
        places [· images])``.
        """
        largest = max(prod(stretch[0].counts) for stretch in stretches)
        rows = 0 if self.is_plain else self.depth * self.groups
        spare = np.empty(self.batch * rows * largest, self.x.dtype)
        for stretch in stretches:
            yield stretch[0].images, self._columns_of(stretch, spare)

    def _columns_of(self, stretch: Sequence[Block], spare: ndarray) -> Iterator[tuple[Block, ndarray]]:
        x = self.x[stretch[0].images]
        count = len(x)
        if self.is_plain:
            for block in stretch:
                flat = x.reshape(count, *self.grouped, self.depth, self.places)
                yield block, flat[..., block.places]
            return
        if self.images_last:
            padded = pad_into(x, self.pads, images_last=True)
        lead: tuple[int, ...]
        tail: tuple[int, ...]
        for block in stretch:
            starts = [o * s for o, s in zip(block.starts, self.stride)]
            if self.images_last:
                region = padded[(slice(None), *(slice(start, None) for start in starts))]
                lead, tail, first = (), (count,), 0
            else:
                lengths = [
                    (n - 1) * s + (k - 1) * d + 1
                    for n, s, k, d in zip(block.counts, self.stride, self.kernel, self.dilation)
                ]
                region = pad_into(x, self.pads, starts, lengths)
                lead, tail, first = (count,), (), 1
            spatial = region.strides[first + 1 : first + 1 + len(starts)]
            windows = as_strided(
                region,
                (*lead, self.x.shape[1], *self.kernel, *block.counts, *tail),
                (
                    *region.strides[:first],
                    region.strides[first],
                    *(t * d for t, d in zip(spatial, self.dilation)),
                    *(t * s for t, s in zip(spatial, self.stride)),
                    *region.strides[first + 1 + len(spatial) :],
                ),
                writeable=False,
            )
            columns = spare[: windows.size].reshape(windows.shape)
            np.copyto(columns, windows)
            yield block, columns.reshape(*lead, *self.grouped, self.depth, -1)


def run_products(part: Callable[[int], None], parts: int) -> None:
    """Call `run_parts` with one thread of BLAS for each part, also for one alone: on products this small
    BLAS's threads cost more than they give.
    """
    with single_threaded():
        run_parts(part, parts)


def merge_last(array: ndarray) -> ndarray:
    """Return the last two axes, which follow one another in memory, as one. A reshape would copy when an
    outer axis is cut.
    """
    places, images = array.shape[-2:]
    return as_strided(array, (*array.shape[:-2], places * images), (*array.strides[:-2], array.itemsize))


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
