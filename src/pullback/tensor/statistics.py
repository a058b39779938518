"""Covariances and correlations, under torch's names."""

from __future__ import annotations

import warnings
from typing import Any

from ..array.dtype_words import type_word
from ..core.value import array_of, dtype_of, shape_of
from ..core.warn import user_level
from ..ops.contract import matmul
from ..ops.convert import conj
from ..ops.structure import reshape
from ..ops.view import diagonal, squeeze, t
from .grids import complex_
from .operands import declare
from .sizes import count


def _check_rank(name: str, input: Any) -> None:
    rank = len(shape_of(input))
    if rank > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {rank} "
            "dimensions"
        )


def _check_weights(name: str, kinds: str, kind: str, weights: Any, observations: int) -> None:
    if weights is None:
        return
    shape = shape_of(weights)
    if len(shape) > 1:
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
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
            "observations.",
            stacklevel=user_level(),
        )
        divisor = freedom * 0
    centred = x - reshape(average, (shape_of(average)[0], 1))
    products = matmul(centred, conj(t(centred if weights is None else centred * weights)))
    return squeeze(products / divisor)


def _is_positive(freedom: Any) -> bool:
    if isinstance(freedom, int):
        return freedom > 0
    return bool(freedom._level or array_of(freedom) > 0)


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
    c = _covariance(input)
    if not shape_of(c):
        return c / c
    variances = diagonal(c, 0, 0, 1)
    is_complex = dtype_of(c).kind in "cW"
    deviations = (variances.real if is_complex else variances).sqrt()
    size = shape_of(deviations)[0]
    c = c / reshape(deviations, (size, 1)) / reshape(deviations, (1, size))
    if not is_complex:
        return c.clip(-1, 1)
    return complex_(c.real.clip(-1, 1), c.imag.clip(-1, 1))


declare(
    "cov", cov, "(Tensor input, *, int correction = 1, Tensor fweights = None, Tensor aweights = None)",
    inplace=False,
)  # fmt: skip
declare("corrcoef", corrcoef, "(Tensor input)", inplace=False)
