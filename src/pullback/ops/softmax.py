"""The softmax family: softmax, log_softmax, each with the rule that saves the result alone, and logsumexp."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large, reduction
from ..array.chains import COLUMN, MOST, ROWS, Chain
from ..array.deferred_import import import_later
from ..array.layout import in_order
from ..array.short_rows import FEW_TO_ADD, columns_of, ones, reduced
from ..array.summation import sum_over
from ..core.bulk import unwrapped
from ..core.op import Call, Term, Terms, op
from ..core.value import shape_of
from .convert import conj
from .elementwise import exp
from .reduce import kept, shifted, spread
from .structure import permute_to_front, reshape, sum_dims

norm = import_later("..array.norm", __package__)

#: From this many elements the kernels work block by block, on several threads; halves always, which they
#: compute in float32.
LARGE = (1 << 12) + 1
#: Up to this many elements sums along another axis than the last are products with ones.
_COLUMNS = 1 << 16


def _declare(name: str, kernel: Any, rule: Any, jvp: Any) -> Call:
    def batched(size: int, values: Terms, dims: tuple[int, ...], dim: int) -> Term:
        x = permute_to_front(values[0], dims[0])
        if len(shape_of(x)) == 1:  # rows of a 0-d tensor are softmaxes of one element
            return reshape(declared(reshape(x, (size, 1)), 1), (size,))
        return declared(x, dim + 1)

    declared: Call = op(
        name, kernel, (rule,), halves=True, batch_rule=batched, jvp=jvp, sizes_kept=True, place=in_order
    )
    return declared


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


def softmax_pull(g: Term, out: Term, dim: int) -> Term:
    """Return the covector of x from that of its softmax."""
    # The kernel spreads its own work: large arrays need no values that do.
    g, out = unwrapped(g), unwrapped(out)
    if type(g) is ndarray and type(out) is ndarray and g.ndim:
        if g.size >= LARGE or g.itemsize == 2:
            return norm.softmax_adjoint(g, out, dim=dim)
        return _pulled(_SOFTMAX_PULL, g, out, dim)
    dims = (dim,) if shape_of(out) else ()
    return out * (g - sum_dims(g * out, dims, True))


def _softmax_jvp(primals: Terms, tangents: Terms, out: Term, dim: int) -> Term:
    return softmax_pull(tangents[0], out, dim)


#: exp(x) / Σ exp(x) along `dim`.
softmax = _declare("softmax", _softmax, softmax_pull, _softmax_jvp)


def _safe_softmax(x: ndarray, /, dim: int) -> ndarray:
    if x.ndim == 0 or x.size == 0:
        return _softmax(x, dim)
    with np.errstate(invalid="ignore"):
        out = _softmax(x, dim)
    out[np.broadcast_to(np.isneginf(reduced(np.maximum, x, dim, True)), x.shape)] = 0
    return out


#: `softmax`, but zeros where all of a row is −∞.
safe_softmax = _declare("safe_softmax", _safe_softmax, softmax_pull, _softmax_jvp)


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


def log_softmax_pull(g: Term, out: Term, dim: int) -> Term:
    """Return the covector of x from that of its log-softmax."""
    g, out = unwrapped(g), unwrapped(out)
    if type(g) is ndarray and type(out) is ndarray and g.ndim:
        if g.size >= LARGE or g.itemsize == 2:
            return norm.log_softmax_adjoint(g, out, dim=dim)
        return _pulled(_LOG_SOFTMAX_PULL, g, out, dim)
    dims = (dim,) if shape_of(out) else ()
    return g - exp(out) * sum_dims(g, dims, True)


def _log_softmax_jvp(primals: Terms, tangents: Terms, out: Term, dim: int) -> Term:
    dims = (dim,) if shape_of(out) else ()
    return tangents[0] - sum_dims(tangents[0] * exp(out), dims, True)


#: x − log Σ exp(x) along `dim`.
log_softmax = _declare("log_softmax", _log_softmax, log_softmax_pull, _log_softmax_jvp)


# --- log of a sum of exponentials ---------------------------------------------------------------------------


def _logsumexp(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    if x.size == 0:
        with np.errstate(divide="ignore"):
            return np.log(np.add.reduce(x, axis=dims, keepdims=keepdim), out=...)  # type: ignore[call-overload]  # NumPy's stubs are narrower than NumPy
    if x.size >= reduction.LARGE and reduction.is_over_rows(x, dims):
        return reduction.row_logsumexp(x, keepdim)
    if dims == (x.ndim - 1,) and x.size <= MOST and x.flags.c_contiguous:
        # The loops below, in one call; what else adds has other bits.
        if (run := _LOGSUMEXP.native(x)) is not None:
            lead = x.shape[:-1]
            out = np.empty((*lead, 1) if keepdim else lead, x.dtype)
            run(x, out)
            return out
    elif len(dims) == 1 and x.size <= _COLUMNS and 1 < x.shape[dims[0]] <= FEW_TO_ADD and x.dtype.kind == "f":
        r = _logsumexp_of_columns(columns_of(x, dims[0]))
        return r.reshape(kept(x.shape, dims) if keepdim else (*x.shape[: dims[0]], *x.shape[dims[0] + 1 :]))
    key = x.real if x.dtype.kind == "c" else x
    top = reduced(np.maximum, key, dims, True)
    _put_zeros(top)
    r = np.subtract(x, top, out=...)
    r = sum_over(np.exp(r, out=r), dims, keepdim)
    np.log(r, out=r)
    return np.add(r, top.reshape(r.shape), out=r)


def _put_zeros(top: ndarray) -> None:
    """Put 0 where the largest numbers are infinite: a mask takes 3 µs more than to see that none is."""
    if not np.isfinite(np.add.reduce(top, axis=None)):
        top[np.isinf(top)] = 0


def _logsumexp_of_columns(x: ndarray) -> ndarray:
    """Return the same for columns of a few rows, along which NumPy is fast: (32, 16, 16) 12 µs, not 18."""
    top = np.maximum.reduce(x, axis=0)
    _put_zeros(top)
    r = np.subtract(x, top)
    r = np.dot(ones(len(x), x.dtype), np.exp(r, out=r))  # a method of what tells nothing leaves no loop
    np.log(r, out=r)
    return np.add(r, top, out=r)


def _logsumexp_rule(g: Term, x: Term, out: Term, dims: tuple[int, ...], keepdim: bool) -> Term:
    if type(g) is type(x) is type(out) is ndarray and x.dtype.kind == "f":
        # The same products in one array: 16×128 take 9 µs instead of 21.
        shape = kept(x.shape, dims)
        if x.size >= large.SIZE and reduction.is_over_rows(x, dims) and g.dtype == x.dtype:
            rows = x.reshape(-1, x.shape[-1]), out.reshape(-1, 1), g.reshape(-1, 1)
            if (found := large.ask("rows", "exponentials_of_rows", rows, (), (True,) * 3)) is not None:
                return found[0].reshape(x.shape)
        r = np.subtract(x, out.reshape(shape), out=...)
        np.exp(r, out=r)
        return np.multiply(r, g.reshape(shape), out=r)
    shape = shape_of(x)
    return spread(g, shape, dims, keepdim) * conj(exp(x - spread(out, shape, dims, keepdim)))


def _logsumexp_rows(x: ndarray, out: ndarray) -> None:
    """Do `_logsumexp` by ufuncs alone."""
    top = np.maximum.reduce(x, axis=1, keepdims=True, out=...)
    # What is infinite becomes nan, and nan 0.
    np.add(top, np.subtract(top, top, out=...), out=top)
    np.add(np.fmax(top, 0.0, out=...), np.fmin(top, 0.0, out=...), out=top)
    each = np.subtract(x, top, out=...)
    r = np.add.reduce(np.exp(each, out=each), axis=1, keepdims=True, out=...)
    np.add(np.log(r, out=r), top, out=out)


_LOGSUMEXP = Chain(_logsumexp_rows, (ROWS, COLUMN), cost=6000)


#: log Σ exp(x) over `dims`.
logsumexp = op("logsumexp", _logsumexp, (_logsumexp_rule,), kind="reduce", halves=True, batch=shifted)
