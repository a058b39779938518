"""Normalisations in few passes: softmax and its logarithm, layer and group norm, each with what its covectors
need; batch norm is a module of its own (`batch_norm`).

Rows are worked on in blocks that stay in the cache, on several threads where there is enough to do, so that
one function reads its input from memory once where a chain of ops would read it four to six times. float16
and bfloat16 are computed in float32 and rounded once; statistics of theirs are float32.
"""

from collections.abc import Callable
from functools import wraps
from math import prod

import numpy as np
from numpy import ndarray

from . import large
from .chains import COLUMN, MOST, ROWS, SCALAR, VECTOR, Chain, number
from .short_rows import reduced
from .summation import sum_of_rows, sum_over
from .threads import run_parts, stretches

#: Bytes of one array in a block. Smaller ones make more calls, for each of which two threads fight over the
#: interpreter.
BLOCK_BYTES = 512 << 10

#: Elements below which a thread is not worth waking. Batch norm of 32×16×32×32 and its adjoint took 0.8 ms on
#: one thread and 1.1 to 1.4 on two.
WORTH_THREADS = 1_000_000


def in_blocks(task: Callable[..., None], *arrays: ndarray) -> None:
    """Call `task` with the same stretch of the first axis of every array, stretches side by side."""
    if (first := arrays[0]).size == 0:
        return
    count = len(first)
    together = max(1, BLOCK_BYTES // (first.size // count * first.itemsize))
    bounds = stretches(count, first.size, WORTH_THREADS)

    def part(index: int) -> None:
        low, high = bounds[index]
        for start in range(low, high, together):
            stop = min(start + together, high)
            task(*(array[start:stop] for array in arrays))

    run_parts(part, len(bounds), uses_blas=True)


def _row_sums(x: ndarray) -> ndarray:
    """Return Σ over axis 1, kept. A product with ones: 3,072 rows of 64 take 12 µs, NumPy's sum 73 µs."""
    return x @ np.ones((x.shape[1], 1), x.dtype) if x.ndim == 2 else reduced(np.add, x, 1, True)


def is_half(x: ndarray) -> bool:
    """Return whether elements have 16 bits."""
    return x.dtype.itemsize == 2


def wide(x: ndarray) -> ndarray:
    """Return the elements in float32."""
    return x.astype(np.float32)


def maybe_wide(x: ndarray | None) -> ndarray | None:
    """Return the elements in float32, where there are some."""
    return None if x is None else wide(x)


# ---------------------------------------------------------------------------------------------------- softmax


#: Kernels along a dimension that carry the name of their op.
_NATIVE = ("softmax", "log_softmax", "softmax_adjoint", "log_softmax_adjoint")


def _along(kernel: Callable[..., None]) -> Callable[..., ndarray]:
    """Return a kernel over blocks ``(rows, length[, columns])`` as a function of arrays and an axis."""

    @wraps(kernel)
    def run(*arrays: ndarray, dim: int) -> ndarray:
        if is_half(first := arrays[0]):
            return run(*(array.astype(np.float32) for array in arrays), dim=dim).astype(first.dtype)
        if first.ndim == 0:
            return run(*(array.reshape(1) for array in arrays), dim=0).reshape(())
        dim %= first.ndim
        lead, length, tail = prod(first.shape[:dim]), first.shape[dim], prod(first.shape[dim + 1 :])
        shape = (lead, length) if tail == 1 else (lead, length, tail)
        blocks = [np.ascontiguousarray(array).reshape(shape) for array in arrays]
        if first.size >= large.ROWS and tail == 1 and kernel.__name__ in _NATIVE:
            found = large.ask("rows", kernel.__name__, blocks, (1,), (True,) * len(blocks))
            if found is not None:
                return found[0].reshape(first.shape)
        # The result is no view: a leaf would copy that before it took it as its gradient.
        result = np.empty(first.shape, first.dtype)
        out = result.reshape(shape)
        width = max(16, BLOCK_BYTES // max(1, length * out.itemsize))
        if tail <= width:
            in_blocks(kernel, *blocks, out)
        else:
            # A row alone is larger than a block: cut it along its columns.
            cells = [(row, column) for row in range(lead) for column in range(0, tail, width)]
            bounds = stretches(len(cells), out.size, WORTH_THREADS)

            def part(index: int) -> None:
                for row, column in cells[slice(*bounds[index])]:
                    cut = (slice(row, row + 1), slice(None), slice(column, column + width))
                    kernel(*(block[cut] for block in blocks), out[cut])

            if out.size:
                run_parts(part, len(bounds))
        return result

    return run


@_along
def softmax(x: ndarray, out: ndarray) -> None:
    """Return exp(x − max x) / Σ exp(x − max x) along `dim`."""
    np.subtract(x, reduced(np.maximum, x, 1, True), out=out)
    np.exp(out, out=out)
    np.divide(out, _row_sums(out), out=out)


@_along
def softmax_adjoint(g: ndarray, y: ndarray, out: ndarray) -> None:
    """Return y · (g − Σ g·y) along `dim`, for y = softmax(x)."""
    total = np.vecdot(g, y)[:, None] if g.ndim == 2 else _row_sums(np.multiply(g, y, out=out))
    np.subtract(g, total, out=out)
    np.multiply(out, y, out=out)


@_along
def log_softmax(x: ndarray, out: ndarray) -> None:
    """Return x − max x − log Σ exp(x − max x) along `dim`."""
    np.subtract(x, reduced(np.maximum, x, 1, True), out=out)
    total = _row_sums(np.exp(out))
    np.subtract(out, np.log(total, out=total), out=out)


@_along
def log_softmax_adjoint(g: ndarray, y: ndarray, out: ndarray) -> None:
    """Return g − exp(y) · Σ g along `dim`, for y = log_softmax(x)."""
    np.exp(y, out=out)
    np.multiply(out, _row_sums(g), out=out)
    np.subtract(g, out, out=out)


# ------------------------------------------------------------------------------------------------- layer norm


def layer_norm(
    x: ndarray, weight: ndarray | None, bias: ndarray | None, axes: int, eps: float
) -> tuple[ndarray, ndarray, ndarray]:
    """Return (x − mean) · rstd · weight + bias over the last `axes` axes, with rstd = 1 / √(variance + eps),
    and the mean and rstd, in which these axes are kept as 1, in float32 for 16-bit x.
    """
    if is_half(x):
        y, mean, rstd = layer_norm(wide(x), maybe_wide(weight), maybe_wide(bias), axes, eps)
        return y.astype(x.dtype), mean, rstd
    lead, length = x.shape[: x.ndim - axes], prod(x.shape[x.ndim - axes :])
    kept = (*lead, *(1,) * axes)
    if 0 < x.size <= MOST:
        y, mean, rstd = np.empty(x.shape, x.dtype), np.empty(kept, x.dtype), np.empty(kept, x.dtype)
        _small_layer_norm(x, weight, bias, length, eps, y, mean, rstd)
        return y, mean, rstd
    rows = np.ascontiguousarray(x).reshape(prod(lead), length)
    factor = None if weight is None else weight.reshape(length)
    shift = None if bias is None else bias.reshape(length)
    if x.size >= large.ROWS:
        found = large.ask("rows", "native_layer_norm", (rows, factor, shift), (1, eps), (True, False, False))
        if found is not None:
            return found[0].reshape(x.shape), found[1].reshape(kept), found[2].reshape(kept)
    y = np.empty(rows.shape, x.dtype)
    mean, rstd = np.empty((len(rows), 1), x.dtype), np.empty((len(rows), 1), x.dtype)

    def task(x: ndarray, y: ndarray, mean: ndarray, rstd: ndarray) -> None:
        _centre(x, y, mean, rstd, eps)
        np.multiply(y, rstd, out=y)
        if factor is not None:
            np.multiply(y, factor, out=y)
        if shift is not None:
            np.add(y, shift, out=y)

    in_blocks(task, rows, y, mean, rstd)
    return y.reshape(x.shape), mean.reshape(kept), rstd.reshape(kept)


def _layer_norm_chain(scaled: bool, shifted: bool) -> Chain:
    """Return the layer norm of a few rows, with a weight and a bias or without."""

    def kernel(x: ndarray, length: ndarray, eps: ndarray, *others: ndarray) -> None:
        *vectors, y, mean, rstd = others
        _centred(x, length, eps, y, mean, rstd)
        np.multiply(y, rstd, out=y)
        if scaled:
            np.multiply(y, vectors[0], out=y)
        if shifted:
            np.add(y, vectors[-1], out=y)

    roles = (ROWS, SCALAR, SCALAR, *(VECTOR,) * (scaled + shifted), ROWS, COLUMN, COLUMN)
    return Chain(kernel, roles, cost=8000)


def _centred(x: ndarray, length: ndarray, eps: ndarray, y: ndarray, mean: ndarray, rstd: ndarray) -> None:
    """Do `_centre` by ufuncs alone."""
    np.divide(np.add.reduce(x, axis=1, keepdims=True, out=...), length, out=mean)
    np.subtract(x, mean, out=y)
    squares = np.multiply(y, y, out=...)
    np.divide(np.add.reduce(squares, axis=1, keepdims=True, out=...), length, out=rstd)
    np.add(rstd, eps, out=rstd)
    np.sqrt(rstd, out=rstd)
    np.reciprocal(rstd, out=rstd)


_LAYER_NORM = {(a, b): _layer_norm_chain(a, b) for a in (False, True) for b in (False, True)}
_CENTRE = Chain(_centred, (ROWS, SCALAR, SCALAR, ROWS, COLUMN, COLUMN), cost=6000)


def _small_layer_norm(
    x: ndarray, weight: ndarray | None, bias: ndarray | None, length: int, eps: float, y: ndarray,
    mean: ndarray, rstd: ndarray,
) -> None:  # fmt: skip
    """Write what `layer_norm` returns of a few rows."""
    chain = _LAYER_NORM[weight is not None, bias is not None]
    vectors = [np.ascontiguousarray(v) for v in (weight, bias) if v is not None]
    rows, y = _in_rows(length, x, y)
    chain.run(rows, number(length, x.dtype), number(eps, x.dtype), *vectors, y, mean, rstd)


def _in_rows(length: int, x: ndarray, y: ndarray) -> tuple[ndarray, ndarray]:
    """Return x, and a result in C order, as rows of so many elements, which several axes may have."""
    if x.shape[-1] == length:
        return x, y
    return np.ascontiguousarray(x).reshape(-1, length), y.reshape(-1, length)


def _centre(x: ndarray, y: ndarray, mean: ndarray, rstd: ndarray, eps: float) -> None:
    """Write x − mean to `y`, and the statistics of each row."""
    length = x.shape[1]
    np.divide(_row_sums(x), length, out=mean)
    np.subtract(x, mean, out=y)
    np.divide(np.vecdot(y, y)[:, None], length, out=rstd)
    np.add(rstd, eps, out=rstd)
    np.sqrt(rstd, out=rstd)
    np.reciprocal(rstd, out=rstd)


def _rms_rows(x: ndarray, length: ndarray, eps: ndarray, y: ndarray, *weights: ndarray) -> None:
    mean = np.add.reduce(np.multiply(x, x, out=...), axis=1, keepdims=True, out=...)
    np.divide(mean, length, out=mean)
    np.add(mean, eps, out=mean)
    np.reciprocal(np.sqrt(mean, out=mean), out=mean)
    np.multiply(x, mean, out=y)
    for weight in weights:
        np.multiply(y, weight, out=y)


_RMS = [Chain(_rms_rows, (ROWS, SCALAR, SCALAR, ROWS, *(VECTOR,) * n), cost=7000) for n in range(2)]


def small_rms_norm(x: ndarray, weight: ndarray | None, length: int, eps: float) -> ndarray:
    """Return x / √(mean(x²) + eps) · weight over the last axes, of so many elements, of up to `MOST`."""
    y = np.empty(x.shape, x.dtype)
    vectors = [] if weight is None else [np.ascontiguousarray(weight)]
    rows, made = _in_rows(length, x, y)
    _RMS[len(vectors)].run(rows, number(length, x.dtype), number(eps, x.dtype), made, *vectors)
    return y


def layer_norm_adjoint(
    g: ndarray, x: ndarray, mean: ndarray, rstd: ndarray, weight: ndarray | None, axes: int
) -> tuple[ndarray, ndarray, ndarray]:
    """Return the covectors of x, weight and bias, from g and what `layer_norm` gave.

    With z = (x − mean)·rstd and h = g·weight: rstd · (h − mean(h) − z·mean(h·z)), Σ g·z and Σ g over the
    rows.
    """
    if is_half(x):
        results = layer_norm_adjoint(wide(g), wide(x), mean, rstd, maybe_wide(weight), axes)
        return tuple(array.astype(x.dtype) for array in results)  # type: ignore[return-value]  # as many as there were
    shape, length = x.shape[x.ndim - axes :], prod(x.shape[x.ndim - axes :])
    count = mean.size
    rows, upstream = (np.ascontiguousarray(array).reshape(count, length) for array in (x, g))
    factor = None if weight is None else weight.reshape(length)
    means, scales = mean.reshape(count, 1), rstd.reshape(count, 1)
    if x.size >= large.ROWS:
        found = large.ask(
            "rows", "native_layer_norm_backward", (upstream, rows, factor, means, scales, None), (1, 0.0),
            (True, True, False, True, True, False),
        )  # fmt: skip
        if found is not None:
            return found[0].reshape(x.shape), found[1].reshape(shape), found[2].reshape(shape)
    in_x = np.empty(x.shape, x.dtype)
    out = in_x.reshape(rows.shape)
    together = max(1, BLOCK_BYTES // max(1, length * x.itemsize))
    if 0 < count <= together and rows.size <= WORTH_THREADS:
        sums_of = _rows_adjoint(upstream, rows, means, scales, factor, out, np.empty(rows.shape, x.dtype))
        return in_x, sums_of[0].reshape(shape), sums_of[1].reshape(shape)
    bounds = stretches(count, rows.size, WORTH_THREADS)
    sums = np.zeros((2, len(bounds), length), x.dtype)

    def part(index: int) -> None:
        low, high = bounds[index]
        space = np.empty((min(together, high - low), length), out.dtype)
        for start in range(low, high, together):
            cut = slice(start, min(start + together, high))
            g, x, result, mean, scale = upstream[cut], rows[cut], out[cut], means[cut], scales[cut]
            of_weight, of_bias = _rows_adjoint(g, x, mean, scale, factor, result, space[: len(g)])
            sums[0, index] += of_weight
            sums[1, index] += of_bias

    if count:
        run_parts(part, len(bounds), uses_blas=True)
    total = sum_over(sums, (1,))
    return in_x, total[0].reshape(shape), total[1].reshape(shape)


def _rows_adjoint(
    g: ndarray, x: ndarray, mean: ndarray, scale: ndarray, factor: ndarray | None, result: ndarray,
    spare: ndarray,
) -> tuple[ndarray, ndarray]:  # fmt: skip
    """Write the covector of rows x to `result`; return those of weight and bias."""
    # The mean is taken off before anything is added up: rows with a mean far from 0 lose no digits.
    np.subtract(x, mean, out=spare)
    np.multiply(spare, g, out=spare)
    of_weight, of_bias = sum_of_rows(spare, scale[:, 0]), sum_of_rows(g)
    h = g if factor is None else np.multiply(g, factor, out=spare)
    slope, level = _adjoint_line(np.vecdot(h, x)[:, None], _row_sums(h), mean, scale, x.shape[1])
    np.multiply(h, scale, out=result)
    np.multiply(x, slope, out=spare)
    np.add(result, spare, out=result)
    np.add(result, level, out=result)
    return of_weight, of_bias


def _adjoint_line(
    products: ndarray, sums: ndarray, mean: ndarray, scale: ndarray, length: int
) -> tuple[ndarray, ndarray]:
    """Return what x is multiplied by, and what is added, in rstd·(h − mean(h) − z·mean(h·z)) = rstd·h +
    slope·x + level, from Σ h·x and Σ h of each row.
    """
    slope = (sums * mean - products) * (scale * scale * scale / length)
    return slope, -slope * mean - sums * scale / length


# ------------------------------------------------------------------------------------------------- group norm


def group_norm(
    x: ndarray, weight: ndarray | None, bias: ndarray | None, groups: int, eps: float
) -> tuple[ndarray, ndarray, ndarray]:
    """Return (x − mean) · rstd · weight + bias of x ``(N, C, *size)``, with statistics of each group of
    channels: C-ordered; and these statistics ``(N, groups, 1, 1)``, float32 for 16-bit x.
    """
    if is_half(x):
        y, mean, rstd = group_norm(wide(x), maybe_wide(weight), maybe_wide(bias), groups, eps)
        return y.astype(x.dtype), mean, rstd
    images, channels = x.shape[:2]
    each = channels // groups
    kept = (images, groups, 1, 1)
    if x.size >= large.ROWS:
        planes = np.ascontiguousarray(x).reshape(images, channels, -1)
        found = large.ask(
            "rows", "native_group_norm", (planes, weight, bias), (groups, eps), (True, False, False)
        )
        if found is not None:
            return found[0].reshape(x.shape), found[1].reshape(kept), found[2].reshape(kept)
    rows = np.ascontiguousarray(x).reshape(images * groups, each * prod(x.shape[2:]))
    y = np.empty(rows.shape, x.dtype)
    mean, rstd = np.empty((len(rows), 1), x.dtype), np.empty((len(rows), 1), x.dtype)
    factors = _of_groups(weight, images, groups)
    shifts = _of_groups(bias, images, groups)
    if 0 < x.size <= MOST:
        _CENTRE.run(rows, number(rows.shape[1], x.dtype), number(eps, x.dtype), y, mean, rstd)
        scale = rstd if factors is None else rstd * factors
        shift = -scale * mean if shifts is None else shifts - scale * mean
        channels_first = (len(rows) * scale.shape[1], -1)
        in_planes = rows.reshape(channels_first), scale.reshape(-1, 1), shift.reshape(-1, 1)
        scaled(*in_planes, y.reshape(channels_first))
        return y.reshape(x.shape), mean.reshape(kept), rstd.reshape(kept)

    def task(x: ndarray, y: ndarray, mean: ndarray, rstd: ndarray, *affine: ndarray) -> None:
        _centre(x, y, mean, rstd, eps)
        given = list(affine)
        scale = rstd if factors is None else rstd * given.pop(0)
        shift = -scale * mean if shifts is None else given.pop() - scale * mean
        # As torch computes it: what is infinite in a weight reaches every element of its channel.
        planes = y.reshape(len(y), each, -1)
        np.multiply(x.reshape(planes.shape), scale[:, :, None], out=planes)
        np.add(planes, shift[:, :, None], out=planes)

    in_blocks(task, rows, y, mean, rstd, *(v for v in (factors, shifts) if v is not None))
    return y.reshape(x.shape), mean.reshape(kept), rstd.reshape(kept)


def scaled(x: ndarray, scale: ndarray, shift: ndarray, y: ndarray) -> None:
    """Write x · scale + shift."""
    np.multiply(x, scale, out=y)
    np.add(y, shift, out=y)


def _of_groups(values: ndarray | None, images: int, groups: int) -> ndarray | None:
    """Return values of channels as ``(images · groups, channels in a group)``."""
    if values is None:
        return None
    each = values.reshape(groups, -1)
    if images == 1:
        return each
    out = np.empty((images, *each.shape), each.dtype)  # np.tile leaves no loop that a recording could play
    out[:] = each
    return out.reshape(-1, each.shape[1])


def group_norm_adjoint(
    g: ndarray, x: ndarray, mean: ndarray, rstd: ndarray, weight: ndarray | None, groups: int
) -> tuple[ndarray, ndarray, ndarray]:
    """Return the covectors of x, weight and bias, from g and what `group_norm` gave.

    Of each channel of each image only Σ g and Σ g·x are needed beside one pass over g and x.
    """
    if is_half(x):
        results = group_norm_adjoint(wide(g), wide(x), mean, rstd, maybe_wide(weight), groups)
        return tuple(array.astype(x.dtype) for array in results)  # type: ignore[return-value]  # as many as there were
    images, channels = x.shape[:2]
    each, places = channels // groups, prod(x.shape[2:])
    shape = (images * groups, each, places)
    planes, upstream = (np.ascontiguousarray(v).reshape(shape) for v in (x, g))
    if (factors := _of_groups(weight, images, groups)) is None:
        factors = np.ones(shape[:2], x.dtype)
    means, scales = mean.reshape(-1, 1), rstd.reshape(-1, 1)
    in_x = sums = products = None
    if x.size >= large.ROWS:
        flat = upstream.reshape(-1, places), planes.reshape(-1, places)
        if (found := large.ask("rows", "sums_and_products", flat, (), (True, True))) is not None:
            sums, products = found[0].reshape(shape[:2]), found[1].reshape(shape[:2])
            along, level = (np.add.reduce(v * factors, axis=1, keepdims=True) for v in (products, sums))
            slope, level = _adjoint_line(along, level, means, scales, each * places)
            lines = [np.repeat(v, each).reshape(-1, 1) for v in (slope, level)]
            found = large.ask(
                "rows", "line_of_rows", (*flat, (factors * scales).reshape(-1, 1), *lines), (), (True,) * 5
            )
            in_x = None if found is None else found[0].reshape(x.shape)
    if in_x is None or sums is None or products is None:
        in_x = np.empty(x.shape, x.dtype)
        sums, products = np.zeros(shape[:2], x.dtype), np.zeros(shape[:2], x.dtype)
        _group_norm_blocks(upstream, planes, in_x.reshape(shape), factors, means, scales, sums, products)
    of_weight = sum_over(((products - sums * means) * scales).reshape(images, channels), (0,))
    return in_x, of_weight, sum_over(sums.reshape(images, channels), (0,))


def _group_norm_blocks(
    upstream: ndarray, planes: ndarray, in_x: ndarray, factors: ndarray, means: ndarray, scales: ndarray,
    all_sums: ndarray, all_products: ndarray,
) -> None:  # fmt: skip
    """Write the covector of x, and of each channel of each image Σ g and Σ g·x."""
    each, places = planes.shape[1:]

    def task(
        g: ndarray, x: ndarray, out: ndarray, factor: ndarray, mean: ndarray, scale: ndarray,
        sums: ndarray, products: ndarray,
    ) -> None:  # fmt: skip
        sums[...] = _row_sums(g.reshape(-1, places)).reshape(sums.shape)
        np.vecdot(g, x, out=products)
        along, level = (np.add.reduce(v * factor, axis=1, keepdims=True) for v in (products, sums))
        slope, level = _adjoint_line(along, level, mean, scale, each * places)
        np.multiply(g, (factor * scale)[:, :, None], out=out)
        np.add(out, np.multiply(x, slope[:, :, None]), out=out)
        np.add(out, level[:, :, None], out=out)

    in_blocks(task, upstream, planes, in_x, factors, means, scales, all_sums, all_products)
