"""Convolution in one, two, three … dimensions, its transpose, and the product that gives the weight's covector.

All three are one sum over images n, taps i and output places o, with x at the place o·stride + i·dilation − padding:

    conv            y[n, o]  = Σ_i  w[i] · x[n, o·s + i·d − p]
    conv_transpose  x[n, t]  = Σ_i  w[i] · y[n, o]      over the o with o·s + i·d − p = t
    conv_weight     w[i]     = Σ_n,o  x[n, o·s + i·d − p] · y[n, o]

so each is a derivative of the others, to any order. `conv` and `conv_weight` copy the places under the taps side by side
("columns") for a block of outputs that stays in the cache and give the block to one matrix product; blocks run on several
threads. `conv_transpose` is a few convolutions of stride 1: one for each remainder of a place by the stride.

Shapes: x ``(N, C, *size)``, w ``(O, C / groups, *kernel)``, y ``(N, O, *output)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import gcd, prod
from typing import NamedTuple

import numpy as np
from numpy import ndarray
from numpy.lib.stride_tricks import as_strided

from . import depthwise
from .geometry import Pads, output_size, pad_into
from .threads import get_num_threads, run_parts, split

#: Bytes of columns in a block.
_BLOCK_BYTES = 512 << 10

# What the copies cost, in ns (measured): an element of a long contiguous run, the start of a run, a strided element, an
# element that changes place in a transposition; and a multiplication in a matrix product of small blocks.
_COPY, _RUN, _STRIDED, _TRANSPOSE, _MULTIPLY = 0.06, 6.0, 0.25, 0.45, 0.02

#: Less work than this, in ns, is not worth waking a thread for.
_WORTH_THREADS = 150_000.0


def conv(
    x: ndarray, w: ndarray, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int
) -> ndarray:
    """y[n, o] = Σ_i w[i] · x[n, o·stride + i·dilation − padding], summed over the input channels of each group.

    Parameters
    ----------
    x
        ``(N, C, *size)``.
    w
        ``(O, C / groups, *kernel)``.
    stride, padding, dilation
        One number per spatial dimension; zeros stand where x is padded.

    Returns
    -------
    ndarray
        ``(N, O, *output)`` with output = (size + 2·padding − dilation·(kernel − 1) − 1) // stride + 1.
    """
    if x.dtype.itemsize == 2 and x.dtype.kind not in "iu":
        return conv(x.astype(np.float32), w.astype(np.float32), stride, padding, dilation, groups).astype(x.dtype)
    output = output_size(x.shape[2:], w.shape[2:], stride, padding, dilation)
    pads = [(p, p) for p in padding]
    return _correlate(x, w, stride, pads, dilation, groups, output)


def conv_transpose(
    y: ndarray,
    w: ndarray,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    size: Sequence[int],
) -> ndarray:
    """x[n, t] = Σ_i w[i] · y[n, o] over the o with o·stride + i·dilation − padding = t: the transpose of `conv`.

    Parameters
    ----------
    y
        ``(N, O, *output)``: the covector of a convolution, or the input of a transposed convolution.
    w
        ``(O, C / groups, *kernel)``.
    size
        The spatial size of the result, which stride > 1 leaves open; see `geometry.transposed_size`.

    Returns
    -------
    ndarray
        ``(N, C, *size)``.
    """
    if y.dtype.itemsize == 2 and y.dtype.kind not in "iu":
        full = conv_transpose(y.astype(np.float32), w.astype(np.float32), stride, padding, dilation, groups, size)
        return full.astype(y.dtype)
    kernel = w.shape[2:]
    out_channels, in_channels = w.shape[0] // groups, w.shape[1]
    turned = w.reshape(groups, out_channels, in_channels, *kernel).swapaxes(1, 2)
    turned = turned.reshape(groups * in_channels, out_channels, *kernel)
    shape = (y.shape[0], groups * in_channels, *size)
    remainders = [
        _remainders(*facts) for facts in zip(kernel, y.shape[2:], size, stride, padding, dilation)
    ]
    if all(s == 1 for s in stride):
        (whole,) = product(*remainders)
        return _correlate(y, turned[(..., *(axis.taps for axis in whole))], (1,) * len(size),
                          [axis.pads for axis in whole], [axis.dilation for axis in whole], groups, size)  # fmt: skip
    x = np.zeros(shape, y.dtype)
    for combination in product(*remainders):
        counts = [axis.count for axis in combination]
        places = tuple(axis.places for axis in combination)
        x[(..., *places)] = _correlate(
            y,
            turned[(..., *(axis.taps for axis in combination))],
            (1,) * len(size),
            [axis.pads for axis in combination],
            [axis.dilation for axis in combination],
            groups,
            counts,
        )
    return x


class _Remainder(NamedTuple):
    """The places t of one axis whose t + padding leaves the same remainder by the stride, as a convolution of stride 1."""

    taps: slice
    places: slice
    count: int
    pads: tuple[int, int]
    dilation: int


def _remainders(kernel: int, output: int, size: int, s: int, p: int, d: int) -> list[_Remainder]:
    """With t + p = q·s + r, tap i reaches o = q + (r − i·d) / s where that is whole: every (s / gcd(s, d))-th tap.

    Remainders that no tap reaches are left out: their places stay zero.
    """
    found = []
    step, spread = s // gcd(s, d), d // gcd(s, d)
    for r in range(s):
        first = next((i for i in range(min(step, kernel)) if (i * d - r) % s == 0), None)
        start = (r - p) % s
        if first is None or start >= size:
            continue
        count = (size - start + s - 1) // s
        last = first + (kernel - 1 - first) // step * step
        # The last tap comes first when the kernel is turned around; it reaches the lowest o.
        lowest = (start + p - last * d) // s
        highest = lowest + (last - first) // step * spread + count - 1
        taps = slice(last, first - step if first >= step else None, -step)
        found.append(_Remainder(taps, slice(start, None, s), count, (-lowest, highest - (output - 1)), spread))
    return found


def conv_weight(
    x: ndarray,
    y: ndarray,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> ndarray:
    """w[i] = Σ_n,o x[n, o·stride + i·dilation − padding] · y[n, o]: what a covector y of `conv` gives the weight.

    Parameters
    ----------
    x
        ``(N, C, *size)``.
    y
        ``(N, O, *output)``.
    kernel
        The spatial size of the weight.

    Returns
    -------
    ndarray
        ``(O, C / groups, *kernel)``.
    """
    if x.dtype.itemsize == 2 and x.dtype.kind not in "iu":
        full = conv_weight(x.astype(np.float32), y.astype(np.float32), kernel, stride, padding, dilation, groups)
        return full.astype(x.dtype)
    shape = (y.shape[1], x.shape[1] // groups, *kernel)
    if 0 in x.shape or 0 in y.shape or 0 in shape:
        return np.zeros(shape, x.dtype)
    y = np.ascontiguousarray(y)
    pads = [(p, p) for p in padding]
    if depthwise.is_better(groups, shape):
        return depthwise.weight(x, y, kernel, stride, pads, dilation)
    columns = _Columns(x, kernel, stride, pads, dilation, y.shape[2:], y.shape[1] // groups, groups)
    sums = np.zeros((columns.parts, groups, shape[0] // groups, columns.depth), x.dtype)
    columns.run_products(y, sums)
    return sums.sum(axis=0, dtype=x.dtype).reshape(shape)


def _correlate(
    x: ndarray,
    w: ndarray,
    stride: Sequence[int],
    pads: Pads,
    dilation: Sequence[int],
    groups: int,
    output: Sequence[int],
) -> ndarray:
    """`conv` with a padding of its own, maybe negative, at each end of each axis."""
    y = np.empty((x.shape[0], w.shape[0], *output), x.dtype)
    if y.size == 0:
        return y
    if x.size == 0 or w.size == 0:
        y[...] = 0
        return y
    if depthwise.is_better(groups, w.shape):
        depthwise.correlate(x, w, stride, pads, dilation, y)
        return y
    columns = _Columns(x, w.shape[2:], stride, pads, dilation, output, w.shape[0] // groups, groups)
    columns.run(w.reshape(groups, w.shape[0] // groups, columns.depth), y)
    return y


class _Block(NamedTuple):
    """A stretch of images, and in them of output places that follow one another in memory."""

    images: slice
    starts: tuple[int, ...]
    counts: tuple[int, ...]
    places: slice


class _Columns:
    """The places of `x` under the taps, side by side, block by block.

    Two layouts. With images first, the columns of a block are ``(images, C, *kernel, *places)``: copied in runs of one
    output row, and the products come out in place. With images last, ``(C, *kernel, *places, images)``, the runs are
    longer by the number of images, and x and the products are transposed: better for small images (16×14×14, batch 64,
    5×5 kernel: 0.25 ms against 0.6).
    """

    def __init__(
        self,
        x: ndarray,
        kernel: Sequence[int],
        stride: Sequence[int],
        pads: Pads,
        dilation: Sequence[int],
        output: Sequence[int],
        out_channels: int,
        groups: int,
    ) -> None:
        self.kernel, self.stride, self.pads, self.dilation = kernel, stride, pads, dilation
        self.output, self.groups = output, groups
        self.places = prod(output)
        images, channels = x.shape[:2]
        rows = channels * prod(kernel)
        self.depth = rows // groups
        self.is_plain = (
            all(k == 1 for k in kernel) and all(s == 1 for s in stride) and not any(low or high for low, high in pads)
        )
        self.x = np.ascontiguousarray(x) if self.is_plain else x
        budget = max(1, _BLOCK_BYTES // (rows * x.itemsize))

        run, one = output[-1], _COPY if stride[-1] == 1 else _STRIDED
        first = 0.0 if self.is_plain else rows * self.places * (one + _RUN / run)
        batch = min(images, 32)
        moved = prod(x.shape[1:]) + out_channels * groups * self.places
        last = rows * self.places * (_COPY + _RUN / (run * batch)) + moved * _TRANSPOSE
        self.images_last = last < first and images > 1
        multiply = rows * self.places * out_channels * _MULTIPLY
        work = images * (min(first, last) + multiply)
        self.parts = min(get_num_threads(), images * self.places) if work > _WORTH_THREADS else 1

        if self.images_last:
            self.batch = min(batch, -(-images // self.parts))
            stretches = [slice(i, min(i + self.batch, images)) for i in range(0, images, self.batch)]
            self.blocks = [[*_rows(output, max(1, budget // self.batch), images)] for images in stretches]
        else:
            budget = min(budget, -(-images * self.places // self.parts))
            if self.is_plain and images >= self.parts:
                budget = -(-images // self.parts) * self.places  # nothing is copied: one product per image
            self.batch = max(1, min(images, budget // self.places))
            stretches = [slice(i, min(i + self.batch, images)) for i in range(0, images, self.batch)]
            self.blocks = [[block] for images in stretches for block in _rows(output, budget, images)]
        self.parts = min(self.parts, len(self.blocks))

    def run(self, w: ndarray, y: ndarray) -> None:
        """Write w ``(groups, O / groups, depth)`` times the columns into y."""
        w = w[0] if self.groups == 1 else w
        flat = y.reshape(len(y), self.groups, -1, self.places) if self.groups > 1 else y.reshape(*y.shape[:2], -1)

        def part(blocks: Sequence[Sequence[_Block]], _: int) -> None:
            for images, stretch in self._each(blocks):
                if not self.images_last:
                    for block, columns in stretch:
                        np.matmul(w, columns, out=flat[images, ..., block.places])
                    continue
                products = np.empty((*flat.shape[1:], images.stop - images.start), y.dtype)
                for block, columns in stretch:
                    np.matmul(w, columns, out=_merge_last(products[..., block.places, :]))
                flat[images] = np.moveaxis(products, -1, 0)

        self._run_parts(part)

    def run_products(self, y: ndarray, sums: ndarray) -> None:
        """Add y times the columns, summed over places and images, to ``sums[part]`` ``(groups, O / groups, depth)``."""
        sums = sums[:, 0] if self.groups == 1 else sums
        flat = y.reshape(len(y), self.groups, -1, self.places) if self.groups > 1 else y.reshape(*y.shape[:2], -1)

        def part(blocks: Sequence[Sequence[_Block]], index: int) -> None:
            for images, stretch in self._each(blocks):
                turned = np.ascontiguousarray(np.moveaxis(flat[images], 0, -1)) if self.images_last else None
                for block, columns in stretch:
                    if turned is not None:
                        factor = _merge_last(turned[..., block.places, :])
                        sums[index] += np.matmul(factor, columns.swapaxes(-1, -2))
                    else:
                        factor = flat[images, ..., block.places]
                        products = np.matmul(factor, columns.swapaxes(-1, -2))
                        sums[index] += products[0] if len(products) == 1 else products.sum(axis=0)

        self._run_parts(part)

    def _run_parts(self, part: Callable[[Sequence[Sequence[_Block]], int], None]) -> None:
        bounds = split(len(self.blocks), self.parts)
        run_parts(lambda i: part(self.blocks[bounds[i][0] : bounds[i][1]], i), self.parts, uses_blas=True)

    def _each(
        self, stretches: Sequence[Sequence[_Block]]
    ) -> Iterator[tuple[slice, Iterator[tuple[_Block, ndarray]]]]:
        """For each stretch of images its blocks with their columns, ``([images,] [groups,] depth, places [· images])``."""
        largest = max(prod(stretch[0].counts) for stretch in stretches)
        spare = np.empty(0 if self.is_plain else self.batch * self.depth * self.groups * largest, self.x.dtype)
        for stretch in stretches:
            yield stretch[0].images, self._columns_of(stretch, spare)

    def _columns_of(self, stretch: Sequence[_Block], spare: ndarray) -> Iterator[tuple[_Block, ndarray]]:
        x = self.x[stretch[0].images]
        count = len(x)
        grouped = (self.groups,) if self.groups > 1 else ()
        if self.is_plain:
            for block in stretch:
                flat = x.reshape(count, *grouped, self.depth, self.places)
                yield block, flat[..., block.places]
            return
        if self.images_last:
            padded = pad_into(x, self.pads, images_last=True)
        for block in stretch:
            starts = [o * s for o, s in zip(block.starts, self.stride)]
            if self.images_last:
                region = padded[(slice(None), *(slice(start, None) for start in starts))]
                lead, tail, channel, spatial = (), (count,), 0, region.strides[1:-1]
                extra = ((), region.strides[-1:])
            else:
                lengths = [
                    (n - 1) * s + (k - 1) * d + 1
                    for n, s, k, d in zip(block.counts, self.stride, self.kernel, self.dilation)
                ]
                region = pad_into(x, self.pads, starts, lengths)
                lead, tail, channel, spatial = (count,), (), 1, region.strides[2:]
                extra = (region.strides[:1], ())
            windows = as_strided(
                region,
                (*lead, self.x.shape[1], *self.kernel, *block.counts, *tail),
                (
                    *extra[0],
                    region.strides[channel],
                    *(t * d for t, d in zip(spatial, self.dilation)),
                    *(t * s for t, s in zip(spatial, self.stride)),
                    *extra[1],
                ),
                writeable=False,
            )
            columns = spare[: windows.size].reshape(windows.shape)
            np.copyto(columns, windows)
            yield block, columns.reshape(*lead, *grouped, self.depth, -1)


def _merge_last(array: ndarray) -> ndarray:
    """The last two axes, which follow one another in memory, as one. A reshape would copy when an outer axis is cut."""
    places, images = array.shape[-2:]
    return as_strided(array, (*array.shape[:-2], places * images), (*array.strides[:-2], array.itemsize))


def _rows(output: Sequence[int], budget: int, images: slice) -> Iterator[_Block]:
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
            yield _Block(
                images,
                (*outer, start, *(0 for _ in output[axis + 1 :])),
                (*(1 for _ in outer), count, *output[axis + 1 :]),
                slice(place, place + count * inner),
            )
            place += count * inner
