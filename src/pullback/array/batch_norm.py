"""Batch norm in few passes: what its channels are scaled by, the statistics of a batch, and the covectors.

As in `norm`, blocks stay in the cache, and float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .chains import COLUMN, MOST, ROWS, SCALAR, Chain, number
from .norm import BLOCK_BYTES, WORTH_THREADS, in_blocks, is_half, maybe_wide, scaled, wide
from .summation import sum_over
from .threads import run_parts, stretches


def _by_channel(x: ndarray) -> ndarray:
    """Return ``(N, C, *size)`` as ``(N, C, places)``."""
    return np.ascontiguousarray(x).reshape(x.shape[0], x.shape[1], prod(x.shape[2:]))


def _channel_sums(
    terms: Callable[..., tuple[ndarray, ...]], number: int, *arrays: ndarray
) -> tuple[ndarray, ...]:
    """Return Σ over images of each of the `number` arrays ``(n, C)`` that ``terms(*blocks)`` gives, blocks
    being stretches of images ``(n, C, places)``.
    """
    count, channels = arrays[0].shape[:2]
    if (work := arrays[0].size) <= MOST:
        return tuple([sum_over(term, (0,)) for term in terms(*arrays)])
    bounds = stretches(count, work, WORTH_THREADS)
    sums = np.zeros((number, len(bounds), channels), arrays[0].dtype)
    together = max(1, BLOCK_BYTES * count // max(1, work * arrays[0].itemsize))

    def part(index: int) -> None:
        low, high = bounds[index]
        for start in range(low, high, together):
            cut = slice(start, min(start + together, high))
            for total, term in zip(sums, terms(*(array[cut] for array in arrays)), strict=True):
                total[index] += sum_over(term, (0,))

    run_parts(part, len(bounds), uses_blas=True)
    return tuple(sum_over(sums, (1,)))


def _place_sums(x: ndarray) -> ndarray:
    """Return the sums over places; of one alone NumPy's loops would take 15 ns a row."""
    return x[..., 0] if x.shape[2] == 1 else x @ np.ones(x.shape[2], x.dtype)


def _place_products(x: ndarray, y: ndarray) -> ndarray:
    """Return the sums over places of ``x · y``; x is overwritten where there is one."""
    return np.multiply(x, y, out=x)[..., 0] if x.shape[2] == 1 else np.vecdot(x, y)


def batch_statistics(x: ndarray) -> tuple[ndarray, ndarray]:
    """Return mean and variance, divided by the number, of each channel of ``(N, C, *size)``: ``(C,)``."""
    if is_half(x):
        return batch_statistics(x.astype(np.float32))
    if x.ndim == 2 and 0 < x.size <= MOST:
        mean = sum_over(x, (0,)) / len(x)
        centred = x - mean
        return mean, sum_over(np.square(centred, out=centred), (0,)) / len(x)
    blocks = _by_channel(x)
    number = x.size // x.shape[1] if x.shape[1] else 0
    if number == 0:
        return np.full(x.shape[1], np.nan, x.dtype), np.full(x.shape[1], np.nan, x.dtype)
    mean = _channel_sums(lambda x: (_place_sums(x),), 1, blocks)[0] / number
    column = mean[:, None]

    def squares(x: ndarray) -> tuple[ndarray]:
        centred = np.subtract(x, column)
        return (_place_products(centred, centred),)

    return mean, _channel_sums(squares, 1, blocks)[0] / number


def batch_norm(
    x: ndarray, mean: ndarray, invstd: ndarray, weight: ndarray | None, bias: ndarray | None
) -> ndarray:
    """Return (x − mean) · invstd · weight + bias of ``(N, C, *size)``, as one product and one sum."""
    if is_half(x):
        factors = (maybe_wide(weight), maybe_wide(bias))
        return batch_norm(wide(x), wide(mean), wide(invstd), *factors).astype(x.dtype)
    scale = invstd if weight is None else invstd * weight
    shift = -mean * scale if bias is None else bias - mean * scale
    if x.ndim == 2 and x.size <= MOST:
        y = x * scale
        return np.add(y, shift, out=y)
    return _scaled_by_channel(x, scale, shift)


def _scaled_by_channel(x: ndarray, scale: ndarray, shift: ndarray) -> ndarray:
    """Return x · scale + shift of ``(N, C, *size)``."""
    blocks = _by_channel(x)
    if x.size >= large.ROWS and (found := _scaled_natively(blocks, scale, shift)) is not None:
        return found.reshape(x.shape)
    y = np.empty(blocks.shape, x.dtype)
    scale, shift = scale[:, None], shift[:, None]
    if x.size <= MOST:
        scaled(blocks, scale, shift, y)
    else:
        in_blocks(lambda x, y: scaled(x, scale, shift, y), blocks, y)
    return y.reshape(x.shape)


def _lines(images: int, scale: ndarray, shift: ndarray) -> tuple[ndarray, ndarray]:
    """Return numbers of channels for each image."""
    if images == 1:
        return scale, shift
    lines = np.empty((2, images, len(scale)), scale.dtype)
    lines[0], lines[1] = scale, shift
    scale, shift = lines.reshape(2, -1)
    return scale, shift


def _scaled_natively(blocks: ndarray, scale: ndarray, shift: ndarray) -> ndarray | None:
    """Return `scaled` rows by native code, where there is any for them."""
    if not scale.dtype == shift.dtype == blocks.dtype:
        return None
    images, channels, places = blocks.shape
    scale, shift = _lines(images, scale, shift)
    rows = (blocks.reshape(images * channels, places), scale[:, None], shift[:, None])
    found: tuple[ndarray, ...] | None = large.ask("rows", "scaled_rows", rows, (), (True,) * 3)
    return None if found is None else found[0]


def _factors(
    var: ndarray, mean: ndarray, weight: ndarray, bias: ndarray, eps: ndarray, scale: ndarray, shift: ndarray
) -> None:
    np.add(var, eps, out=scale)
    np.sqrt(scale, out=scale)
    np.reciprocal(scale, out=scale)
    np.multiply(scale, weight, out=scale)
    np.multiply(mean, scale, out=shift)
    np.subtract(bias, shift, out=shift)


_FACTORS = Chain(_factors, (ROWS, ROWS, ROWS, ROWS, SCALAR, ROWS, ROWS), cost=4000)
_SCALED = Chain(scaled, (ROWS, COLUMN, COLUMN, ROWS), cost=1500)


def batch_norm_of_running(
    x: ndarray, weight: ndarray, bias: ndarray, mean: ndarray, var: ndarray, eps: float
) -> ndarray:
    """Return `batch_norm` by variances of elements in C order, which all have one dtype."""
    scale, shift = np.empty_like(var), np.empty_like(var)
    _FACTORS.run(var, mean, weight, bias, number(eps, x.dtype), scale, shift)
    if x.size > MOST:
        return _scaled_by_channel(x, scale, shift)
    y = np.empty(x.shape, x.dtype)
    if x.ndim == 2:
        np.multiply(x, scale, out=y)
        return np.add(y, shift, out=y)
    images, channels = x.shape[:2]
    scale, shift = _lines(images, scale, shift)
    planes = (images * channels, -1)
    _SCALED.run(x.reshape(planes), scale, shift, y.reshape(planes))
    return y


#: Elements from which native code is asked for batch norm: compiled, it takes a third of the time.
_WORTH_CHANNELS = 1 << 12


def _channels(x: ndarray, *others: ndarray | None) -> Any:
    """Return the kernels in native code for x, where they are worth it and there are any."""
    if x.size < _WORTH_CHANNELS or any(v is not None and v.dtype != x.dtype for v in others):
        return None
    return large.ask("channels", x.shape[0], x.shape[1], prod(x.shape[2:]), x.dtype)


def _dense(x: ndarray | None) -> ndarray | None:
    return None if x is None else np.ascontiguousarray(x)


def batch_norm_in_training(
    x: ndarray, weight: ndarray | None, bias: ndarray | None, eps: float
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Return `batch_norm` with the statistics of x: (out, mean, invstd = 1 / √(variance + eps), variance)."""
    if (kernels := _channels(x, weight, bias)) is not None:
        mean, invstd, var = (np.empty(x.shape[1], x.dtype) for _ in range(3))
        out = np.empty(x.shape, x.dtype)
        kernels.forward(np.ascontiguousarray(x), _dense(weight), _dense(bias), eps, (out, mean, invstd, var))
        return out, mean, invstd, var
    mean, var = batch_statistics(x)
    invstd = np.reciprocal(np.sqrt(var + np.asarray(eps, var.dtype)), out=...)
    return batch_norm(x, mean, invstd, weight, bias), mean, invstd, var


def batch_norm_adjoint(
    g: ndarray, x: ndarray, mean: ndarray, invstd: ndarray, weight: ndarray | None, training: bool
) -> tuple[ndarray, ndarray, ndarray]:
    """Return the covectors of x, weight and bias.

    With z = (x − mean)·invstd and M elements a channel: in training, where the statistics are those of x,
    weight · invstd · (g − Σg / M − z · Σ(g·z) / M), else weight · invstd · g; Σ g·z; Σ g.
    """
    if is_half(x):
        statistics = (wide(mean), wide(invstd))
        results = batch_norm_adjoint(wide(g), wide(x), *statistics, maybe_wide(weight), training)
        return tuple(array.astype(x.dtype) for array in results)  # type: ignore[return-value]  # as many as there were
    kernels = _channels(x, g, weight, mean, invstd) if training else None
    if kernels is not None:
        results = np.empty(x.shape, x.dtype), np.empty(x.shape[1], x.dtype), np.empty(x.shape[1], x.dtype)
        statistics = np.ascontiguousarray(mean), np.ascontiguousarray(invstd)
        kernels.backward(
            np.ascontiguousarray(g), np.ascontiguousarray(x), _dense(weight), *statistics, results
        )
        return results
    blocks, upstream = _by_channel(x), _by_channel(g)
    number = max(1, x.size // max(1, x.shape[1]))
    column = mean[:, None]

    def sums(g: ndarray, x: ndarray) -> tuple[ndarray, ndarray]:
        return _place_sums(g), _place_products(np.subtract(x, column), g)

    bias_sum, weight_sum = _channel_sums(sums, 2, upstream, blocks)
    weight_sum = weight_sum * invstd
    scale = (invstd if weight is None else invstd * weight)[:, None]
    out = np.empty(blocks.shape, x.dtype)
    slope = -invstd * weight_sum / number
    level = (-bias_sum / number - slope * mean)[:, None]

    def task(g: ndarray, x: ndarray, out: ndarray) -> None:
        if training:
            np.multiply(x, slope[:, None], out=out)
            np.add(out, level, out=out)
            g = np.add(out, g, out=out)
        # The weight comes last: an infinite one makes infinities, not the difference of two.
        np.multiply(g, scale, out=out)

    in_blocks(task, upstream, blocks, out)
    return out.reshape(x.shape), weight_sum, bias_sum
