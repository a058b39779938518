"""The softmax family: softmax, log_softmax, each with the rule that saves the result alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..array.chains import ROWS, Chain
from ..array.deferred_import import import_later
from ..array.layout import in_order
from ..array.short_rows import reduced
from ..array.summation import sum_over
from ..core.bulk import unwrapped
from ..core.op import Call, op
from ..core.value import shape_of
from .elementwise import exp
from .structure import permute_to_front, reshape, sum_dims

norm = import_later("..array.norm", __package__)

#: From this many elements the kernels work block by block, on several threads; halves always, which they
#: compute in float32.
LARGE = (1 << 12) + 1


def _batched(kernel: Any) -> Any:
    """Make the batching rule; rows of a 0-d tensor are softmaxes of one element."""

    def rule(size: int, values: tuple[Any, ...], dims: tuple[int, ...], dim: int) -> Any:
        x = permute_to_front(values[0], dims[0])
        if len(shape_of(x)) == 1:
            return reshape(kernel()(reshape(x, (size, 1)), 1), (size,))
        return kernel()(x, dim + 1)

    return rule


def _softmax(x: ndarray, /, dim: int) -> ndarray:
    if x.ndim == 0:
        out = np.subtract(x, x, out=...)
        return np.add(out, 1, out=out)
    if x.size == 0:
        return x.copy()
    if x.size >= LARGE:
        return norm.softmax(x, dim=dim)
    out = np.empty_like(x)
    if dim == x.ndim - 1 and x.flags.c_contiguous and (run := _SOFTMAX.native(x)) is not None:
        run(x, out)
    else:
        _softmax_rows(x, out, dim)
    return out


def _softmax_rows(x: ndarray, out: ndarray, dim: int = 1) -> None:
    np.subtract(x, reduced(np.maximum, x, dim, True), out=out)
    np.exp(out, out=out)
    np.divide(out, sum_over(out, (dim,), True), out=out)


_SOFTMAX = Chain(_softmax_rows, (ROWS, ROWS))


def _pulled(chain: Chain, g: ndarray, out: ndarray, dim: int) -> ndarray:
    """Return what a chain ``(g, out, pulled)`` gives, which takes the axis along which it adds as well."""
    pulled = np.empty(out.shape, out.dtype)
    if g.dtype is out.dtype and dim == out.ndim - 1 and out.flags.c_contiguous:
        run = chain.native(out)
        if run is not None:
            run(np.ascontiguousarray(g), out, pulled)
            return pulled
    chain.kernel(g, out, pulled, dim)
    return pulled


def _softmax_pull_rows(g: ndarray, out: ndarray, pulled: ndarray, dim: int = 1) -> None:
    np.multiply(g, out, out=pulled)
    np.subtract(g, sum_over(pulled, (dim,), True), out=pulled)
    np.multiply(pulled, out, out=pulled)


_SOFTMAX_PULL = Chain(_softmax_pull_rows, (ROWS, ROWS, ROWS))


def softmax_pull(g: Any, out: Any, dim: int) -> Any:
    """Return the covector of x from that of its softmax."""
    # The kernel spreads its own work: large arrays need no values that do.
    g, out = unwrapped(g), unwrapped(out)
    if type(g) is ndarray and type(out) is ndarray and g.ndim:
        if g.size >= LARGE or g.itemsize == 2:
            return norm.softmax_adjoint(g, out, dim=dim)
        return _pulled(_SOFTMAX_PULL, g, out, dim)
    dims = (dim,) if shape_of(out) else ()
    return out * (g - sum_dims(g * out, dims, True))


#: exp(x) / Σ exp(x) along `dim`.
softmax: Call = op(
    "softmax", _softmax,
    (lambda g, out, dim: softmax_pull(g, out, dim),),
    halves=True,
    batch_rule=_batched(lambda: softmax),
    jvp=lambda primals, tangents, out, dim: softmax_pull(tangents[0], out, dim),
    sizes_kept=True, place=in_order,
)


def _safe_softmax(x: ndarray, /, dim: int) -> ndarray:
    if x.ndim == 0 or x.size == 0:
        return _softmax(x, dim)
    with np.errstate(invalid="ignore"):
        out = _softmax(x, dim)
    out[np.broadcast_to(np.isneginf(reduced(np.maximum, x, dim, True)), x.shape)] = 0
    return out


#: `softmax`, but zeros where all of a row is −∞.
safe_softmax: Call = op(
    "safe_softmax", _safe_softmax,
    (lambda g, out, dim: softmax_pull(g, out, dim),),
    halves=True,
    batch_rule=_batched(lambda: safe_softmax),
    jvp=lambda primals, tangents, out, dim: softmax_pull(tangents[0], out, dim),
    sizes_kept=True, place=in_order,
)


def _log_softmax(x: ndarray, /, dim: int) -> ndarray:
    if x.ndim == 0:
        return np.subtract(x, x, out=...)
    if x.size == 0:
        return x.copy()
    if x.size >= LARGE:
        return norm.log_softmax(x, dim=dim)
    out = np.empty_like(x)
    if dim == x.ndim - 1 and x.flags.c_contiguous and (run := _LOG_SOFTMAX.native(x)) is not None:
        run(x, out)
    else:
        _log_softmax_rows(x, out, dim)
    return out


def _log_softmax_rows(x: ndarray, out: ndarray, dim: int = 1) -> None:
    np.subtract(x, reduced(np.maximum, x, dim, True), out=out)
    sums = sum_over(np.exp(out), (dim,), True)
    np.subtract(out, np.log(sums, out=sums), out=out)


_LOG_SOFTMAX = Chain(_log_softmax_rows, (ROWS, ROWS))


def _log_softmax_pull_rows(g: ndarray, out: ndarray, pulled: ndarray, dim: int = 1) -> None:
    np.exp(out, out=pulled)
    np.multiply(pulled, sum_over(g, (dim,), True), out=pulled)
    np.subtract(g, pulled, out=pulled)


_LOG_SOFTMAX_PULL = Chain(_log_softmax_pull_rows, (ROWS, ROWS, ROWS))


def log_softmax_pull(g: Any, out: Any, dim: int) -> Any:
    """Return the covector of x from that of its log-softmax."""
    g, out = unwrapped(g), unwrapped(out)
    if type(g) is ndarray and type(out) is ndarray and g.ndim:
        if g.size >= LARGE or g.itemsize == 2:
            return norm.log_softmax_adjoint(g, out, dim=dim)
        return _pulled(_LOG_SOFTMAX_PULL, g, out, dim)
    dims = (dim,) if shape_of(out) else ()
    return g - exp(out) * sum_dims(g, dims, True)


def _log_softmax_jvp(primals: Any, tangents: Any, out: Any, dim: int) -> Any:
    dims = (dim,) if shape_of(out) else ()
    return tangents[0] - sum_dims(tangents[0] * exp(out), dims, True)


#: x − log Σ exp(x) along `dim`.
log_softmax: Call = op(
    "log_softmax", _log_softmax, (log_softmax_pull,), halves=True,
    batch_rule=_batched(lambda: log_softmax),
    jvp=_log_softmax_jvp, sizes_kept=True, place=in_order,
)
