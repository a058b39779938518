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


class _Shifts(NamedTuple):
    """Channels of one image in the sorted layout."""

    flat: ndarray  # (channels, remainders, places)
    offsets: list[tuple[int, int]]  # of each tap: which remainder, how far along
    run: int  # from the first output place to the last, in the layout's rows
    rows: tuple[int, ...]  # the layout's spatial shape, cut to the outputs on its first axis


def _shifts(
    x: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int], output: Sequence[int]
) -> _Shifts:
    lengths = [o + (k - 1) * d // s for o, k, s, d in zip(output, kernel, stride, dilation)]
    box = np.zeros((len(x), *stride, *lengths), x.dtype)
    for remainder in product(*map(range, stride)):
        source, target = [], []
        for n, (low, _), s, r, length in zip(x.shape[1:], pads, stride, remainder, lengths):
            # Place q of this remainder holds x[q·s + r − low].
            first = max(0, -((r - low) // s))
            count = max(0, min(length - first, -((first * s + r - low - n) // s)))
            start = first * s + r - low
            source.append(slice(start, start + (count - 1) * s + 1, s) if count else slice(0, 0))
            target.append(slice(first, first + count))
        box[(slice(None), *remainder, *target)] = x[(slice(None), *source)]
    steps = [prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    numbers = [prod(stride[axis + 1 :]) for axis in range(len(stride))]
    offsets = []
    for tap in product(*map(range, kernel)):
        reach = [i * d for i, d in zip(tap, dilation)]
        offsets.append(
            (
                sum(r % s * number for r, s, number in zip(reach, stride, numbers)),
                sum(r // s * step for r, s, step in zip(reach, stride, steps)),
            )
        )
    run = sum((o - 1) * step for o, step in zip(output, steps)) + 1
    return _Shifts(box.reshape(len(x), prod(stride), -1), offsets, run, (output[0], *lengths[1:]))


def _run_blocks(x: ndarray, work: int, task: Callable[[int, slice, int], None]) -> int:
    """Call ``task(image, channels, part)`` for every block of channels; the number of parts comes back."""
    images, channels = x.shape[:2]
    together = max(1, min(channels, _BLOCK_BYTES // max(1, prod(x.shape[2:]) * x.itemsize)))
    blocks = [(n, slice(c, min(c + together, channels))) for n in range(images) for c in range(0, channels, together)]
    bounds = split(len(blocks), get_num_threads() if work > _WORTH_THREADS else 1)

    def part(index: int) -> None:
        for image, block in blocks[bounds[index][0] : bounds[index][1]]:
            task(image, block, index)

    run_parts(part, len(bounds), uses_blas=True)
    return len(bounds)


def _outputs(shifts: _Shifts, output: Sequence[int], spread: ndarray) -> ndarray:
    """The output places of an array ``(channels, prod(rows))`` in the layout's rows."""
    inside = tuple(slice(0, o) for o in output[1:])
    return spread.reshape(len(spread), *shifts.rows)[(slice(None), slice(None), *inside)]


def correlate(
    x: ndarray, w: ndarray, stride: Sequence[int], pads: Pads, dilation: Sequence[int], y: ndarray
) -> None:
    """Write into y ``(N, C·m, *output)`` the convolution of x ``(N, C, *size)`` with w ``(C·m, 1, *kernel)``."""
    channels, kernel, output = x.shape[1], w.shape[2:], y.shape[2:]
    taps = w.reshape(channels, -1, prod(kernel))
    results = y.reshape(len(y), channels, taps.shape[1], *output)

    def task(image: int, block: slice, _: int) -> None:
        shifts = _shifts(x[image, block], kernel, stride, pads, dilation, output)
        spread = np.empty((len(shifts.flat), prod(shifts.rows)), x.dtype)
        total, term = spread[:, : shifts.run], np.empty((len(spread), shifts.run), x.dtype)
        for copy in range(taps.shape[1]):
            factors = taps[block, copy, :, None]
            for tap, piece in enumerate(_pieces(shifts)):
                if tap == 0:
                    np.multiply(piece, factors[:, 0], out=total)
                else:
                    np.multiply(piece, factors[:, tap], out=term)
                    np.add(total, term, out=total)
            results[image, block, copy] = _outputs(shifts, output, spread)

    _run_blocks(x, y.size * prod(kernel), task)


def weight(
    x: ndarray, y: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int]
) -> ndarray:
    """Σ over images and places of x under each tap times y ``(N, C·m, *output)``: ``(C·m, 1, *kernel)``."""
    channels, output = x.shape[1], y.shape[2:]
    copies = y.shape[1] // channels
    factors = y.reshape(len(y), channels, copies, *output)
    sums = np.zeros((get_num_threads(), channels, copies, prod(kernel)), x.dtype)

    def task(image: int, block: slice, index: int) -> None:
        shifts = _shifts(x[image, block], kernel, stride, pads, dilation, output)
        spread = np.zeros((len(shifts.flat), prod(shifts.rows)), x.dtype)
        for copy in range(copies):
            _outputs(shifts, output, spread)[...] = factors[image, block, copy]
            row = spread[:, None, : shifts.run]
            for tap, piece in enumerate(_pieces(shifts)):
                sums[index, block, copy, tap] += np.matmul(row, piece[:, :, None])[:, 0, 0]

    _run_blocks(x, y.size * prod(kernel), task)
    return sums.sum(axis=0, dtype=x.dtype).reshape(channels * copies, 1, *kernel)


def _pieces(shifts: _Shifts) -> Iterator[ndarray]:
    """Under each tap in turn, the run of places that its products are summed over."""
    for remainder, offset in shifts.offsets:
        yield shifts.flat[:, remainder, offset : offset + shifts.run]
