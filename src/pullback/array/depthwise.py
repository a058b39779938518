"""Convolutions whose groups have one input channel each: a matrix product would have nothing to sum over but the taps.

The padded channels are laid out so that the places under one tap are one contiguous run, shifted by the tap: each tap is
then one multiplication and one addition over a long run, at the full speed of NumPy's SIMD loops. With stride s the
padded places are first sorted by their remainder by s, which makes them contiguous again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy import ndarray

from .geometry import Pads
from .threads import get_num_threads, run_parts, split

#: Bytes of padded channels in a block.
_BLOCK_BYTES = 128 << 10

#: Elements times taps below which a thread is not worth waking.
_WORTH_THREADS = 1_000_000


def is_better(groups: int, weight_shape: Sequence[int]) -> bool:
    """Whether this is the way for a weight of that shape: measured, up to 4 outputs for each of at least 4 channels."""
    return weight_shape[1] == 1 and groups >= 4 and weight_shape[0] <= 4 * groups


class _Shifts(NamedTuple):
    """Channels of some images in the sorted layout."""

    flat: ndarray  # (images, channels, remainders, places)
    offsets: list[tuple[int, int]]  # of each tap: which remainder, how far along
    run: int  # from the first output place to the last, in the layout's rows
    rows: tuple[int, ...]  # the layout's spatial shape, cut to the outputs on its first axis

    def pieces(self) -> Iterator[ndarray]:
        """Under each tap in turn, the run of places that its products are summed over: (images, channels, run)."""
        for remainder, offset in self.offsets:
            yield self.flat[:, :, remainder, offset : offset + self.run]

    def outputs(self, spread: ndarray, output: Sequence[int]) -> ndarray:
        """The output places of an array ``(images, channels, prod(rows))`` that is spread out like the runs."""
        inside = tuple(slice(0, o) for o in output[1:])
        return spread.reshape(*spread.shape[:2], *self.rows)[(..., slice(None), *inside)]


def _shifts(
    x: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int], output: Sequence[int]
) -> _Shifts:
    lengths = [o + (k - 1) * d // s for o, k, s, d in zip(output, kernel, stride, dilation)]
    box = np.zeros((*x.shape[:2], *stride, *lengths), x.dtype)
    for remainder in product(*map(range, stride)):
        source, target = [], []
        for n, (low, _), s, r, length in zip(x.shape[2:], pads, stride, remainder, lengths):
            # Place q of this remainder holds x[q·s + r − low].
            first = max(0, -((r - low) // s))
            start = first * s + r - low
            count = max(0, min(length - first, -((start - n) // s)))
            source.append(slice(start, start + (count - 1) * s + 1, s) if count else slice(0, 0))
            target.append(slice(first, first + count))
        box[(slice(None), slice(None), *remainder, *target)] = x[(slice(None), slice(None), *source)]
    steps = [prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    numbers = [prod(stride[axis + 1 :]) for axis in range(len(stride))]
    offsets = []
    for tap in product(*map(range, kernel)):
        reach = [i * d for i, d in zip(tap, dilation)]
        which = sum(r % s * number for r, s, number in zip(reach, stride, numbers))
        offsets.append((which, sum(r // s * step for r, s, step in zip(reach, stride, steps))))
    run = sum((o - 1) * step for o, step in zip(output, steps)) + 1
    return _Shifts(box.reshape(*x.shape[:2], prod(stride), -1), offsets, run, (output[0], *lengths[1:]))


def _run_blocks(x: ndarray, work: int, task: Callable[[slice, slice, int], None]) -> None:
    """Call ``task(images, channels, part)`` for every block."""
    images, channels = x.shape[:2]
    place = max(1, prod(x.shape[2:]) * x.itemsize)
    wide = max(1, min(channels, _BLOCK_BYTES // place))
    tall = max(1, _BLOCK_BYTES // (place * channels))
    blocks = [
        (slice(n, min(n + tall, images)), slice(c, min(c + wide, channels)))
        for n in range(0, images, tall)
        for c in range(0, channels, wide)
    ]
    bounds = split(len(blocks), get_num_threads() if work > _WORTH_THREADS else 1)

    def part(index: int) -> None:
        for block in blocks[bounds[index][0] : bounds[index][1]]:
            task(*block, index)

    run_parts(part, len(bounds), uses_blas=True)


def correlate(
    x: ndarray, w: ndarray, stride: Sequence[int], pads: Pads, dilation: Sequence[int], y: ndarray
) -> None:
    """Write into y ``(N, C·m, *output)`` the convolution of x ``(N, C, *size)`` with w ``(C·m, 1, *kernel)``."""
    channels, kernel, output = x.shape[1], w.shape[2:], y.shape[2:]
    taps = w.reshape(channels, -1, prod(kernel))
    results = y.reshape(len(y), channels, taps.shape[1], *output)

    def task(images: slice, block: slice, _: int) -> None:
        shifts = _shifts(x[images, block], kernel, stride, pads, dilation, output)
        spread = np.empty((*shifts.flat.shape[:2], prod(shifts.rows)), x.dtype)
        total, term = spread[..., : shifts.run], np.empty((*spread.shape[:2], shifts.run), x.dtype)
        for copy in range(taps.shape[1]):
            factors = taps[block, copy, :, None]
            for tap, piece in enumerate(shifts.pieces()):
                if tap == 0:
                    np.multiply(piece, factors[:, 0], out=total)
                else:
                    np.multiply(piece, factors[:, tap], out=term)
                    np.add(total, term, out=total)
            results[images, block, copy] = shifts.outputs(spread, output)

    _run_blocks(x, y.size * prod(kernel), task)


def weight(
    x: ndarray, y: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int]
) -> ndarray:
    """Σ over images and places of x under each tap times y ``(N, C·m, *output)``: ``(C·m, 1, *kernel)``."""
    channels, output = x.shape[1], y.shape[2:]
    copies = y.shape[1] // channels
    factors = y.reshape(len(y), channels, copies, *output)
    sums = np.zeros((get_num_threads(), channels, copies, prod(kernel)), x.dtype)

    def task(images: slice, block: slice, index: int) -> None:
        shifts = _shifts(x[images, block], kernel, stride, pads, dilation, output)
        spread = np.zeros((*shifts.flat.shape[:2], prod(shifts.rows)), x.dtype)
        for copy in range(copies):
            shifts.outputs(spread, output)[...] = factors[images, block, copy]
            row = spread[..., None, : shifts.run]
            for tap, piece in enumerate(shifts.pieces()):
                sums[index, block, copy, tap] += np.matmul(row, piece[..., None]).sum(axis=(0, 2, 3))

    _run_blocks(x, y.size * prod(kernel), task)
    return sums.sum(axis=0, dtype=x.dtype).reshape(channels * copies, 1, *kernel)
