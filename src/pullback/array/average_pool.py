"""Average pooling in one, two, three … dimensions: two linear maps, each the other's adjoint.

Windows and shapes are those of `pool`.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .pool import Windows, adaptive_bounds, each_part, even_windows, on_axis, padded_box, plane_parts
from .taps import Taps, from_table, over_planes, transposed


def avg_pool(
    x: ndarray, windows: Windows, count_include_pad: bool = True, divisor_override: int | None = None
) -> ndarray:
    """Return sums under windows over their numbers of places, with the padding or not, or a divisor."""
    if x.dtype.itemsize == 2:
        return avg_pool(x.astype(np.float32), windows, count_include_pad, divisor_override).astype(x.dtype)
    output = windows.output(x.shape[2:])
    y = np.empty((*x.shape[:2], *output), x.dtype)
    divisor = _divisor(x.shape[2:], output, windows, count_include_pad, divisor_override, x.dtype)

    whole = plane_parts(x.shape[2:], windows)[1]

    def task(planes: ndarray, target: ndarray) -> None:
        box = planes if whole else padded_box(planes, windows, output, 0)
        for axis, (o, k, s) in enumerate(zip(output, windows.kernel, windows.stride), 1):
            box = _window_sums(box, axis, o, k, s)
        np.divide(box, divisor, out=target, casting="unsafe")

    each_part(task, x, y)
    return y


def avg_pool_adjoint(
    y: ndarray, windows: Windows, size: Sequence[int], count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> ndarray:
    """Give each of y ``(N, C, *output)`` to its window's places, divided as by `avg_pool`."""
    if y.dtype.itemsize == 2:
        full = avg_pool_adjoint(y.astype(np.float32), windows, size, count_include_pad, divisor_override)
        return full.astype(y.dtype)
    output = y.shape[2:]
    x = np.zeros((*y.shape[:2], *size), y.dtype)
    divisor = _divisor(size, output, windows, count_include_pad, divisor_override, y.dtype)
    lengths = windows.lengths(output)
    inside, covered = windows.inside(size, lengths)

    def task(source: ndarray, target: ndarray) -> None:
        box = source / divisor
        # The last axis is spread first: it is the one whose copies are strided.
        for axis in range(len(size), 0, -1):
            kernel, stride = windows.kernel[axis - 1], windows.stride[axis - 1]
            box = _spread_windows(box, axis, lengths[axis - 1], kernel, stride)
        target[(slice(None), *covered)] = box[(slice(None), *inside)]

    each_part(task, y, x)
    return x


@functools.lru_cache(maxsize=256)
def _divisor(
    size: tuple[int, ...], output: tuple[int, ...], windows: Windows, count_include_pad: bool,
    divisor_override: int | None, dtype: np.dtype,
) -> Any:
    if divisor_override is not None:
        return dtype.type(divisor_override)
    divisor = np.ones((1,) * len(size), np.int64)
    facts = zip(size, output, windows.kernel, windows.stride, windows.padding)
    for axis, (n, o, k, s, p) in enumerate(facts):
        start = np.arange(o) * s - p
        stop = np.minimum(start + k, n + p)
        if not count_include_pad:
            start, stop = np.maximum(start, 0), np.minimum(stop, n)
        divisor = divisor * on_axis(stop - start, axis, len(size))
    return dtype.type(divisor.flat[0]) if (divisor == divisor.flat[0]).all() else divisor.astype(dtype)


def _along(axis: int, cut: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, cut)


def _window_sums(x: ndarray, axis: int, output: int, kernel: int, stride: int) -> ndarray:
    """Return Σ over i < kernel of x[o·stride + i] along one axis."""
    if output == 1:
        return np.add.reduce(x[_along(axis, slice(0, kernel))], axis=axis, keepdims=True, dtype=x.dtype)
    reach = (output - 1) * stride + 1
    total = x[_along(axis, slice(0, reach, stride))]
    if kernel == 1:
        return total
    total = total + x[_along(axis, slice(1, 1 + reach, stride))]
    for i in range(2, kernel):
        np.add(total, x[_along(axis, slice(i, i + reach, stride))], out=total)
    return total


def _spread_windows(y: ndarray, axis: int, length: int, kernel: int, stride: int) -> ndarray:
    """Return the transpose of `_window_sums`: y[o] is added to the places o·stride + i of an axis."""
    if (output := y.shape[axis]) == 1 and kernel == length:
        shape = list(y.shape)
        shape[axis] = length
        return np.broadcast_to(y, shape)
    x = np.zeros((*y.shape[:axis], length, *y.shape[axis + 1 :]), y.dtype)
    reach = (output - 1) * stride + 1
    for i in range(kernel):
        view = x[_along(axis, slice(i, i + reach, stride))]
        if stride >= kernel:
            np.copyto(view, y)
        else:
            np.add(view, y, out=view)
    return x


def adaptive_avg_pool(x: ndarray, output: Sequence[int]) -> ndarray:
    """Return averages over windows of `output` nearly equal parts of each axis, which may overlap."""
    if (windows := even_windows(x.shape[2:], tuple(output))) is not None:
        return avg_pool(x, windows)
    if x.dtype.itemsize == 2:
        return adaptive_avg_pool(x.astype(np.float32), output).astype(x.dtype)
    return over_planes(x, adaptive_maps(x.shape[2:], output))


def adaptive_maps(size: Sequence[int], output: Sequence[int], transpose: bool = False) -> list[Taps]:
    """Return the averages along each axis, or their transposes."""
    make = _adaptive_back if transpose else _adaptive
    return [make(n, o) for n, o in zip(size, output)]


@functools.lru_cache(maxsize=64)
def _adaptive(size: int, output: int) -> Taps:
    return from_table(*_adaptive_table(size, output))


@functools.lru_cache(maxsize=64)
def _adaptive_back(size: int, output: int) -> Taps:
    return transposed(*_adaptive_table(size, output))


def _adaptive_table(size: int, output: int) -> tuple[ndarray, ndarray, int, ndarray]:
    """Return the places in each window, their weights, the size and the counts, as `taps` wants them."""
    starts, stops = np.array(adaptive_bounds(size, output), np.intp).reshape(-1, 2).T
    counts = stops - starts
    places = starts[:, None] + np.arange(max(1, int(counts.max(initial=1))))
    weights = np.broadcast_to(1 / np.maximum(counts, 1)[:, None], places.shape)
    return np.minimum(places, max(0, size - 1)), weights, size, counts


def adaptive_avg_pool_adjoint(y: ndarray, size: Sequence[int]) -> ndarray:
    """Return the transpose of `adaptive_avg_pool` from ``(N, C, *size)``."""
    if (windows := even_windows(tuple(size), y.shape[2:])) is not None:
        return avg_pool_adjoint(y, windows, size)
    if y.dtype.itemsize == 2:
        return adaptive_avg_pool_adjoint(y.astype(np.float32), size).astype(y.dtype)
    return over_planes(y, adaptive_maps(size, y.shape[2:], transpose=True))
