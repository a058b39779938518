"""Variances, covariances and correlations, under torch's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..array.dtype_words import type_word
from ..core.value import array_of, dtype_of, shape_of
from ..core.warn import warn
from ..errors import with_name
from ..ops import variance as v
from ..ops.contract import matmul
from ..ops.convert import conj
from ..ops.reduce import count as count_of
from ..ops.structure import reshape
from ..ops.view import diagonal, squeeze, t
from .grids import complex_
from .operands import declare
from .reductions import reduced_dims, reduction
from .sizes import count, tensor


def _check_rank(name: str, input: Any) -> None:
    if (rank := len(shape_of(input))) > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {rank} "
            "dimensions"
        )


def _check_weights(name: str, kinds: str, kind: str, weights: Any, observations: int) -> None:
    if weights is None:
        return
    if len(shape := shape_of(weights)) > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {len(shape)} "
            "dimensions"
        )
    if dtype_of(weights).kind not in kinds:
        raise RuntimeError(
            f"cov(): expected {name} to have {kind} dtype but got {name} with {type_word(dtype_of(weights))} "
            "dtype"
        )
    if count(shape) != observations:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{count(shape)} != {observations}"
        )
    if observations and weights._level == 0 and array_of(weights).min() < 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")


def _covariance(input: Any, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    if dtype_of(input).kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = reshape(input, (1, count(shape_of(input)))) if len(shape_of(input)) < 2 else input
    observations = shape_of(x)[1]
    _check_weights("fweights", "iu", "integral", fweights, observations)
    _check_weights("aweights", "fV", "floating point", aweights, observations)
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total: Any = observations
    if weights is not None:
        total = weights.sum()
        if total._level == 0 and array_of(total) == 0:
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    average = (x if weights is None else x * weights).sum(1) / total
    freedom = total - correction
    if aweights is not None and correction:
        freedom = total - correction * (weights * aweights).sum() / total
    if _is_positive(freedom):
        divisor = freedom
    else:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
            "observations."
        )
        divisor = freedom * 0
    centred = x - reshape(average, (shape_of(average)[0], 1))
    products = matmul(centred, conj(t(centred if weights is None else centred * weights)))
    return squeeze(products / divisor)


def _is_positive(freedom: Any) -> bool:
    return freedom > 0 if isinstance(freedom, int) else bool(freedom._level or array_of(freedom) > 0)


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Return the covariance matrix of variables in rows, ``Σₖ wₖ·(xᵢₖ − x̄ᵢ)·conj(xⱼₖ − x̄ⱼ) / (Σw −
    correction)``.

    Parameters
    ----------
    input : Tensor
        (variables, observations), or one variable.
    correction : int
        What is subtracted from the number of observations; with `aweights` it is scaled by Σw·a / Σw.
    fweights : Tensor, optional
        How often each observation was made, integers.
    aweights : Tensor, optional
        The weight of each observation; w is the product of both.

    Returns
    -------
    Tensor
        (variables, variables), of no axis for one variable.
    """
    _check_rank("cov", input)
    return _covariance(input, correction, fweights, aweights)


def corrcoef(input: Any) -> Any:
    """Return the Pearson correlation of variables in rows, ``Cᵢⱼ / √(Cᵢᵢ·Cⱼⱼ)`` with C of :func:`cov`,
    clipped to [−1, 1].

    Parameters
    ----------
    input : Tensor
        (variables, observations), or one variable.
    """
    _check_rank("corrcoef", input)
    if not shape_of(c := _covariance(input)):
        return c / c
    variances = diagonal(c, 0, 0, 1)
    is_complex = dtype_of(c).kind in "cW"
    deviations = (variances.real if is_complex else variances).sqrt()
    size = shape_of(deviations)[0]
    c = c / reshape(deviations, (size, 1)) / reshape(deviations, (1, size))
    return complex_(c.real.clip(-1, 1), c.imag.clip(-1, 1)) if is_complex else c.clip(-1, 1)


declare(
    "cov", cov, "(Tensor input, *, int correction = 1, Tensor fweights = None, Tensor aweights = None)",
    inplace=False,
)  # fmt: skip
declare("corrcoef", corrcoef, "(Tensor input)", inplace=False)


# --- variance -----------------------------------------------------------------------------------------------

_MISSING: Any = object()


def _spread_arguments(
    name: str, input: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> tuple[tuple[int, ...], Any, bool]:
    tensor(name, "input", input)
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if dtype_of(input).kind in "biu":
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    if unbiased is not None:
        correction = 1 if unbiased else 0
    elif correction is _MISSING or correction is None:
        correction = 1
    if type(correction) not in (int, float):
        correction = float(correction)
    return reduced_dims(dim, len(shape_of(input))), correction, keepdim


def _warn_freedom(name: str, shape: tuple[int, ...], dims: tuple[int, ...], correction: float) -> None:
    if count_of(shape, dims) - correction <= 0 and math.prod(s for i, s in enumerate(shape) if i not in dims):  # type: ignore[misc]  # known only at run time
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
            "factor (input numel divided by output numel). (Triggered internally at "
            "/__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp:1861.)"
        )


def _spread(name: str, call: Callable[..., Any], label: str) -> Callable[..., Any]:
    def function(
        input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *,
        correction: Any = _MISSING,
    ) -> Any:
        dims, chosen, keep = _spread_arguments(label, input, dim, unbiased, keepdim, correction)
        shape = shape_of(input)
        _warn_freedom(name, shape, dims, chosen)
        if count_of(shape, dims) <= chosen and (not shape or dim is None or isinstance(dim, bool)):
            dims = v.AllAxes(dims)
        return call(input, dims, chosen, keep)

    return with_name(function, name, call.op.name)  # type: ignore[attr-defined]  # every op's call has it


_DOCS = {
    "var": (
        "Return the variance Σ|x − mean|² / (n − correction) over `dim`; `unbiased=False` means "
        "``correction=0``."
    ),
    "std": (
        "Return the standard deviation √(Σ|x − mean|² / (n − correction)) over `dim`; `unbiased=False` means "
        "``correction=0``."
    ),
    "var_mean": "Return variance and mean over `dim`.",
    "std_mean": "Return standard deviation and mean over `dim`.",
}
for _name, _call in (("var", v.var), ("std", v.std), ("var_mean", v.var_mean), ("std_mean", v.std_mean)):
    _function = _spread(_name, _call, _name if "mean" in _name else "std and var")
    _function.__doc__ = _DOCS[_name]
    reduction(_function, method=_name in ("var", "std"), out=_name in ("var", "std"))
