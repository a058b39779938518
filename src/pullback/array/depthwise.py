"""Convolutions whose groups have one input channel each: a matrix product would have nothing to sum over but
the taps.

The padded channels are laid out so that the places under one tap are one contiguous run, shifted by the tap:
each tap is then one multiplication and one addition over a long run, at the full speed of NumPy's SIMD loops.
With stride s the padded places are first sorted by their remainder by s, which makes them contiguous again.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from .geometry import Pads
from .threads import get_num_threads, run_parts, stretches

Ints = tuple[int, ...]

#: Bytes of padded channels in a block.
_BLOCK_BYTES = 512 << 10

#: Elements times taps below which a thread is not worth waking.
_WORTH_THREADS = 1_000_000


def is_better(groups: int, weight_shape: Sequence[int]) -> bool:
    """Return whether this way pays for a weight: up to 4 outputs for each of 4 channels and more."""
    return weight_shape[1] == 1 and groups >= 4 and weight_shape[0] <= 4 * groups


class _Layout:
    """Lay out the padded places of a channel, and the run of them that each tap is multiplied with."""

    def __init__(
        self, size: Sequence[int], kernel: Sequence[int], stride: Sequence[int], pads: Pads,
        dilation: Sequence[int], output: Sequence[int],
    ) -> None:
        lengths = [o + (k - 1) * d // s for o, k, s, d in zip(output, kernel, stride, dilation)]
        steps = [prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
        numbers = [prod(stride[axis + 1 :]) for axis in range(len(stride))]
        self.shape = (*stride, *lengths)
        self.places = prod(lengths)
        #: The outputs lie in rows of this layout, of which those of the first axis are all used.
        self.rows = (output[0], *lengths[1:])
        self.outputs: tuple[Any, ...] = (Ellipsis, slice(None), *(slice(0, o) for o in output[1:]))
        #: From the first output place to the last.
        self.run = sum((o - 1) * step for o, step in zip(output, steps)) + 1
        self._starts = []
        for tap in product(*map(range, kernel)):
            reach = [i * d for i, d in zip(tap, dilation)]
            which = sum(r % s * number for r, s, number in zip(reach, stride, numbers))
            along = sum(r // s * step for r, s, step in zip(reach, stride, steps))
            self._starts.append(which * self.places + along)
        self._copies: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = []
        for remainder in product(*map(range, stride)):
            source, target = [], []
            for n, (low, _), s, r, length in zip(size, pads, stride, remainder, lengths):
                # Place q of this remainder holds x[q·s + r − low].
                first = max(0, -((r - low) // s))
                start = first * s + r - low
                count = max(0, min(length - first, -((start - n) // s)))
                source.append(slice(start, start + (count - 1) * s + 1, s) if count else slice(0, 0))
                target.append(slice(first, first + count))
            self._copies.append(((..., *source), (..., *remainder, *target)))

    def fill(self, x: ndarray, box: ndarray) -> None:
        """Copy x ``(images, channels, *size)`` into a box ``(images, channels, *shape)`` of zeros."""
        for source, target in self._copies:
            box[target] = x[source]

    def pieces(self, box: ndarray) -> Iterator[ndarray]:
        """Yield for each tap the run of places that its products are summed over: (images, channels, run)."""
        flat = box.reshape(*box.shape[:2], -1)
        for start in self._starts:
            yield flat[..., start : start + self.run]

    def spread(self, lead: tuple[int, ...], dtype: np.dtype) -> tuple[ndarray, ndarray, ndarray]:
        """Return an array for what lies like the runs, as its run ``(*lead, run)`` and as the outputs in it,
        and its like.
        """
        whole = np.zeros((*lead, prod(self.rows)), dtype)
        return whole[..., : self.run], whole.reshape(*lead, *self.rows)[self.outputs], np.empty_like(whole)


@functools.lru_cache(maxsize=256)
def _layout(
    size: Ints, kernel: Ints, stride: Ints, pads: tuple[tuple[int, int], ...], dilation: Ints, output: Ints
) -> _Layout:
    """Return a layout, which takes 40 µs to work out."""
    return _Layout(size, kernel, stride, pads, dilation, output)


def _run_blocks(
    x: ndarray, layout: _Layout, work: int, task: Callable[[slice, slice, int, ndarray, Any], None]
) -> None:
    """Call ``task(images, channels, part, box, spread)`` for every block, its channels being in the box."""
    images, channels = x.shape[:2]
    place = max(1, layout.places * prod(layout.shape[: x.ndim - 2]) * x.itemsize)
    wide = max(1, min(channels, _BLOCK_BYTES // place))
    tall = max(1, min(images, _BLOCK_BYTES // (place * channels)))
    blocks = [
        (slice(n, min(n + tall, images)), slice(c, min(c + wide, channels)))
        for n in range(0, images, tall)
        for c in range(0, channels, wide)
    ]
    bounds = stretches(len(blocks), work, _WORTH_THREADS)

    def part(index: int) -> None:
        box = np.zeros((tall, wide, *layout.shape), x.dtype)
        spread = layout.spread((tall, wide), x.dtype)
        for rows, columns in blocks[bounds[index][0] : bounds[index][1]]:
            corner = (slice(0, rows.stop - rows.start), slice(0, columns.stop - columns.start))
            layout.fill(x[rows, columns], box[corner])
            task(rows, columns, index, box[corner], tuple(array[corner] for array in spread))

    run_parts(part, len(bounds), uses_blas=True)


def correlate(
    x: ndarray, w: ndarray, stride: Sequence[int], pads: Pads, dilation: Sequence[int], y: ndarray
) -> None:
    """Write x ``(N, C, *size)`` convolved with w ``(C·m, 1, *kernel)`` into y ``(N, C·m, *output)``."""
    channels, kernel, output = x.shape[1], w.shape[2:], y.shape[2:]
    layout = _layout(x.shape[2:], *map(tuple, (kernel, stride, pads, dilation, output)))
    taps = w.reshape(channels, -1, prod(kernel))
    results = y.reshape(len(y), channels, taps.shape[1], *output)

    def task(images: slice, block: slice, _: int, box: ndarray, spread: Any) -> None:
        total, outputs, term = spread
        term = term[..., : layout.run]
        for copy in range(taps.shape[1]):
            factors = taps[block, copy, :, None]
            for tap, piece in enumerate(layout.pieces(box)):
                if tap == 0:
                    np.multiply(piece, factors[:, 0], out=total)
                else:
                    np.multiply(piece, factors[:, tap], out=term)
                    np.add(total, term, out=total)
            results[images, block, copy] = outputs

    _run_blocks(x, layout, y.size * prod(kernel), task)


def weight(
    x: ndarray, y: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int]
) -> ndarray:
    """Return Σ over images and places of x under each tap times y ``(N, C·m, …)``: ``(C·m, 1, *kernel)``."""
    channels, output = x.shape[1], y.shape[2:]
    layout = _layout(x.shape[2:], *map(tuple, (kernel, stride, pads, dilation, output)))
    copies = y.shape[1] // channels
    factors = y.reshape(len(y), channels, copies, *output)
    sums = np.zeros((get_num_threads(), channels, copies, prod(kernel)), x.dtype)

    def task(images: slice, block: slice, index: int, box: ndarray, spread: Any) -> None:
        row, outputs, _ = spread
        for copy in range(copies):
            outputs[...] = factors[images, block, copy]
            for tap, piece in enumerate(layout.pieces(box)):
                products = np.matmul(row[..., None, :], piece[..., None])
                sums[index, block, copy, tap] += np.add.reduce(products, axis=(0, 2, 3))

    _run_blocks(x, layout, y.size * prod(kernel), task)
    return np.add.reduce(sums, axis=0).reshape(channels * copies, 1, *kernel)
