"""torch.masked: reductions and normalisations over the elements that a mask lets through.

A mask is True where an element counts; it broadcasts to the input, and None lets everything through. Masked
elements are replaced with the identity of the operation (0 for a sum, −∞ for a maximum, …), so they change no
result and get no gradient. Where everything that a result is made of is masked out, the result is that
identity, or nan where there is none (mean, median, var, std).

The functions take `dim` (an int, several, or all for None), `keepdim`, `dtype` (of the result, by default the
input's) and `mask`, by default that of a masked tensor.
"""

import math
from collections.abc import Callable
from typing import Any

from ...array import dtype_limits, dtypes
from ...tensor import extremes
from ...tensor.constants import strided
from ...tensor.creation import tensor
from ...tensor.masks import where
from ...tensor.norms import vector_norm
from ...tensor.reductions import sum_all
from ...tensor.tensor import checked_dim
from .maskedtensor.core import Combined, is_masked_tensor

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean",
    "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]

_NORMALISATIONS = ("softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod")
_SUMMED_IN_INT64 = (dtypes.uint8, dtypes.bool, dtypes.int8, dtypes.int16, dtypes.int32)


# --- arguments ----------------------------------------------------------------------------------------------


def _dims(dim: Any, rank: int) -> tuple[int, ...]:
    """Return the dims to reduce over, non-negative and in order; all of them for None and ()."""
    if dim is None or dim == ():
        return tuple(range(rank))
    rank = max(rank, 1)
    found: list[int] = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        found.append(checked_dim(d, rank))
    return tuple(sorted(found))


def _input_mask(input: Any, *args: Any, mask: Any, **kwargs: Any) -> Any:
    """Return the mask as booleans in the shape of the input; other arguments are those of an operation."""
    _check_strided(input, "input_mask", "tensor but")
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        _check_strided(mask, "input_mask", "mask but")
        mask = mask.broadcast_to(input.shape)
    return mask.to(dtype=dtypes.bool)


def _check_strided(input: Any, name: str, of: str) -> None:
    """Raise torch's error for a layout that is not taken, and Python's for what is no tensor."""
    if input.layout is not strided:
        raise ValueError(f"_{name} expects strided {of} got {input.layout}")


def _output_mask(op: Callable[..., Any], input: Any, *args: Any, **kwargs: Any) -> Any:
    """Return which elements of ``op(input, *args, **kwargs)`` are made of any element that counts.

    torch has both helpers under these names: comparisons leave out the results that mean nothing.
    """
    mask = _input_mask(input, **kwargs)
    if op.__name__ in _NORMALISATIONS:
        return mask
    if op.__name__ == "norm":
        args = args[1:]
    dim = args[0] if args else kwargs.get("dim")
    for d in reversed(_dims(dim, input.ndim)):
        mask = mask.any(d, bool(kwargs.get("keepdim", False)))
    return mask


def _least(name: str, dtype: Any) -> Any:
    """Return the identity of a maximum."""
    return -math.inf if dtype.is_floating_point else _limits(name, dtype).min


def _greatest(name: str, dtype: Any) -> Any:
    """Return the identity of a minimum."""
    return math.inf if dtype.is_floating_point else _limits(name, dtype).max


def _limits(name: str, dtype: Any) -> Any:
    if dtype is dtypes.bool or dtype in dtypes.STORAGE_ONLY:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return dtype_limits.iinfo(dtype)


def _filled(input: Any, mask: Any, identity: Callable[[], Any]) -> Any:
    """Return the input with the identity where the mask is False."""
    if is_masked_tensor(input):
        own = input.get_mask() if mask is None else _input_mask(input, mask=mask)
        return Combined.apply(input, own, identity())
    if mask is None:
        _check_strided(input, "combine_input_and_mask", "tensor but")
        return input
    return where(_input_mask(input, mask=mask), input, tensor(identity(), dtype=input.dtype))


def _summed_dtype(input: Any, dtype: Any) -> Any:
    if dtype is None:
        _check_strided(input, "combine_input_and_mask", "tensor but")
        return dtypes.int64 if input.dtype in _SUMMED_IN_INT64 else input.dtype
    return dtype


# --- reductions ---------------------------------------------------------------------------------------------


def sum(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Return the sum of the elements that count, over `dim`, of none 0; small integers add in int64."""
    dtype = _summed_dtype(input, dtype)
    dims = _dims(dim, input.ndim)
    return sum_all(_filled(input, mask, lambda: 0), dims, bool(keepdim), dtype=dtype)


def prod(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Return the product of the elements that count, over `dim`; 1 is the product of none."""
    dtype = _summed_dtype(input, dtype)
    dims = _dims(dim, input.ndim)
    product = _filled(input, mask, lambda: 1).to(dtype=dtype)
    for d in reversed(dims):
        product = product.prod(dim=d, keepdim=bool(keepdim))
    return product


def _extreme(
    name: str, input: Any, dim: Any, keepdim: bool, dtype: Any, mask: Any, fill: Callable[[str, Any], Any]
) -> Any:
    """Return what an extreme, or its place, is of the elements that count; the others are filled in."""
    dtype = input.dtype if dtype is None else dtype
    dims = dim if name.startswith("arg") else _dims(dim, input.ndim)
    filled = _filled(input, mask, lambda: fill(name, input.dtype))
    return getattr(extremes, name)(filled, dims, bool(keepdim)).to(dtype=dtype)


def amax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Return the largest element that counts, over `dim`; −∞ (the least integer) where there is none."""
    return _extreme("amax", input, dim, keepdim, dtype, mask, _least)


def amin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Return the smallest element that counts, over `dim`; ∞ (the greatest integer) where there is none."""
    return _extreme("amin", input, dim, keepdim, dtype, mask, _greatest)


def argmax(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """Return where the largest counting element is, along `dim` or among all, in the input's dtype."""
    return _extreme("argmax", input, dim, keepdim, dtype, mask, _least)


def argmin(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """Return where the smallest counting element is, along `dim` or among all, in the input's dtype."""
    return _extreme("argmin", input, dim, keepdim, dtype, mask, _greatest)


def _total_and_count(input: Any, dims: tuple[int, ...], keepdim: bool, dtype: Any, mask: Any) -> Any:
    """Return the sum of the elements that count, and how many there are."""
    if mask is None:
        count = tensor(math.prod(input.shape[d] for d in dims) if input.ndim else 1)
    else:
        count = _input_mask(input, mask=mask).sum(dims, keepdim)
    return sum(input, dims, keepdim=keepdim, dtype=dtype, mask=mask), count


def mean(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Return the mean of the elements that count, over `dim`; nan where there are none."""
    source = "Input" if dtype is None else "Optional"
    dtype = dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or "
            f"complex dtype. Got: {dtype}"
        )
    total, count = _total_and_count(input, _dims(dim, input.ndim), bool(keepdim), dtype, mask)
    return total / count


def median(input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Return the median (the lower of two) of the elements that count, along `dim`; nan if none does."""
    dtype = input.dtype if dtype is None else dtype
    d = _dims(dim, input.ndim)[0]
    floating = input.dtype.is_floating_point
    filled = _filled(input if floating else input.to(dtypes.float32), mask, lambda: math.nan)
    output = filled.nanmedian(d, keepdim).values
    if floating:
        return output
    if output.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return output.to(dtype=dtype)


def logsumexp(
    input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Any:
    """Return ``log Σ exp(x)`` of the elements that count, over `dim`; −∞ where there are none."""
    kind = input.dtype
    dims = _dims(dim, input.ndim)
    filled = _filled(input, mask, lambda: -math.inf if kind.is_complex else _least("logsumexp", kind))
    return filled.logsumexp(dims, keepdim=keepdim).to(dtype=kind if dtype is None else dtype)


def logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Any:
    """Return ``log(exp(input) + exp(other))``, where a masked operand adds nothing.

    Parameters
    ----------
    input, other : Tensor
        Of shapes that broadcast.
    dtype : dtype, optional
        Of the result; the input's by default.
    input_mask, other_mask : Tensor of bool, optional
        Where each operand counts.
    """
    dtype = input.dtype if dtype is None else dtype
    x = _filled(input, input_mask, lambda: _least("logaddexp", input.dtype))
    y = _filled(other, other_mask, lambda: _least("logaddexp", other.dtype))
    return x.logaddexp(y).to(dtype=dtype)


def norm(
    input: Any, ord: float | None = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
    mask: Any = None,
) -> Any:  # fmt: skip
    """Return ``(Σ |x|^ord)^(1/ord)`` of the elements that count, over `dim`; of none 0, ∞ for ord −∞."""
    dtype = input.dtype if dtype is None else dtype
    filled = _filled(input, mask, lambda: math.inf if ord == -math.inf else 0)
    dims = _dims(dim, input.ndim)
    return vector_norm(filled, ord, dims, bool(keepdim), dtype=dtype)


def _variance(
    input: Any, dim: Any, unbiased: bool | None, correction: float | None, keepdim: bool, dtype: Any,
    mask: Any
) -> Any:
    """Return Σ |x − mean|² / max(0, count − correction), in the dtype of the result."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1.0 if unbiased is None or unbiased else 0.0
    if dtype is None:
        kind = input.dtype
        dtype = kind if kind.is_floating_point or kind.is_complex else dtypes.float32
    inside = dtype if dtype.is_floating_point or dtype.is_complex else dtypes.float32
    dims = _dims(dim, input.ndim)
    total, count = _total_and_count(input, dims, True, dtype, mask)
    away = input - total / count
    squares = sum(away * away.conj(), dims, keepdim=keepdim, dtype=inside, mask=mask)
    if mask is not None:
        count = count.reshape(squares.shape)
    if correction != 0:
        count = (count.to(inside.to_real()) - float(correction)).clamp(min=0)
    return (squares / count).to(dtype)


def var(
    input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool = False, dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """Return the variance ``Σ |x − mean|² / max(0, n − correction)`` of the n elements that count, over
    `dim`.

    Parameters
    ----------
    input : Tensor
    dim : int or sequence of ints, optional
    unbiased : bool, optional
        False is `correction` 0, True is 1.
    correction : number, optional
        1 by default.
    keepdim : bool
    dtype : dtype, optional
        Of the result; float32 by default for integers.
    mask : Tensor of bool, optional
    """
    return _variance(input, dim, unbiased, correction, bool(keepdim), dtype, mask)


def std(
    input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool = False, dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """Return the square root of :func:`var`, which has the same arguments."""
    return _variance(input, dim, unbiased, correction, bool(keepdim), dtype, mask).sqrt()


# --- normalisations: results in the shape of the input ------------------------------------------------------


def _along(
    name: str, input: Any, dim: int, dtype: Any, mask: Any, fill: Callable[[], Any], sign: int = 1
) -> Any:
    """Return what a function along an axis gives of the input, filled in where elements do not count."""
    dtype = input.dtype if dtype is None else dtype
    axis = _dims(dim, input.ndim)[0]
    filled = _filled(input, mask, fill)
    return getattr(filled if sign > 0 else -filled, name)(axis, dtype=dtype)


def cumsum(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Return the running sum along `dim` of the elements that count."""
    return _along("cumsum", input, dim, dtype, mask, lambda: 0)


def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Return the running product along `dim` of the elements that count."""
    return _along("cumprod", input, dim, dtype, mask, lambda: 1)


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Return ``exp(x) / Σ exp(x)`` along `dim` of the elements that count, 0 elsewhere."""
    return _along("softmax", input, dim, dtype, mask, lambda: _least("amax", input.dtype))


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Return ``x − log Σ exp(x)`` along `dim` of the elements that count, −∞ elsewhere."""
    return _along("log_softmax", input, dim, dtype, mask, lambda: _least("amax", input.dtype))


def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Return :func:`softmax` of −x along `dim`."""
    return _along("softmax", input, dim, dtype, mask, lambda: _greatest("amin", input.dtype), -1)


def normalize(
    input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Any:
    """Return ``x / max(eps, norm(x, ord, dim))`` of the elements that count, 0 elsewhere.

    Parameters
    ----------
    input : Tensor
    ord : float
        Order of the norm (see :func:`norm`).
    dim : int
    eps : float
        The least that is divided by.
    dtype : dtype, optional
        Of the norm.
    mask : Tensor of bool, optional
    """
    dtype = input.dtype if dtype is None else dtype
    filled = _filled(input, mask, lambda: 0)
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return filled / length.maximum(length.new_full((), eps))
