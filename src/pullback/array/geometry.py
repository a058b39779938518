"""Sizes and paddings that convolutions and pools share."""

from collections.abc import Sequence

import numpy as np
from numpy import ndarray

#: Zeros before and after each spatial axis; a negative number cuts places off.
Pads = Sequence[tuple[int, int]]


def output_size(
    size: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int],
) -> tuple[int, ...]:
    """Return (size + 2·padding − dilation·(kernel − 1) − 1) // stride + 1 on each axis."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)
    )


def transposed_size(
    size: Sequence[int], kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
    output_padding: Sequence[int], dilation: Sequence[int],
) -> tuple[int, ...]:
    """Return (size − 1)·stride − 2·padding + dilation·(kernel − 1) + output_padding + 1 on each axis."""
    return tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, k, s, p, e, d in zip(size, kernel, stride, padding, output_padding, dilation)
    )


def pad_into(
    x: ndarray, pads: Pads, starts: Sequence[int] | None = None, lengths: Sequence[int] | None = None, *,
    fill: float = 0,
) -> ndarray:
    """Return a box of the padded `x` ``(N, C, *size)``: a view where it holds no padding, else a copy.

    The box is counted from the first padded place, and is everything by default; `fill` stands in the
    padding.
    """
    axes = len(pads)
    size = x.shape[2:]
    starts = starts if starts is not None else (0,) * axes
    if lengths is None:
        lengths = [n + low + high - start for n, (low, high), start in zip(size, pads, starts)]
    inside, target = [], []
    whole = True
    for n, (low, _), start, length in zip(size, pads, starts, lengths):
        first = start - low
        begin, end = max(first, 0), min(first + length, n)
        end = max(begin, end)
        inside.append(slice(begin, end))
        target.append(slice(begin - first, end - first))
        whole = whole and end - begin == length
    source = x[(slice(None), slice(None), *inside)]
    if whole:
        return source
    box = np.full((*x.shape[:2], *lengths), fill, x.dtype)
    box[(slice(None), slice(None), *target)] = source
    return box
