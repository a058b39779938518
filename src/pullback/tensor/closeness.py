"""Whether two tensors are equal or nearly so."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..errors import argument_type
from .api import public
from .operands import declare


@public(out=False)
def equal(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and the same elements (nan equals nothing)."""
    for position, (name, v) in enumerate((("input", input), ("other", other))):
        if not isinstance(v, TensorBase):
            raise argument_type("equal", name, position + 1, "Tensor", v)
    if shape_of(input) != shape_of(other):
        return False
    return bool(np.array_equal(array_of(input), array_of(other)))


def _near(a: np.ndarray, b: np.ndarray, rtol: float, atol: float, equal_nan: bool) -> np.ndarray:
    close = np.asarray(a == b)
    if equal_nan and a.dtype.kind in "fcV":
        close = close | (np.isnan(a) & np.isnan(b))
    if rtol == 0 and atol == 0:
        return close
    if a.dtype.kind in "biu":
        a, b = a.astype(np.int64), b.astype(np.int64)
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
        return close | (np.isfinite(gap) & (gap <= atol + np.abs(rtol * b)))


def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Nearness of each element, ``|input − other| ≤ atol + rtol·|other|``.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype; shapes broadcast.
    rtol, atol : float
        Not negative.
    equal_nan : bool
        Whether two nans are near each other.

    Returns
    -------
    Tensor of bool
    """
    if dtype_of(input) != dtype_of(other):
        names = (str(dtype_of(input)), str(dtype_of(other)))
        words = {"float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int", "bool": "Bool"}
        a, b = (words.get(n, n.capitalize()) for n in names)
        raise RuntimeError(f"{a} did not match {b}")
    if rtol < 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol}")
    if atol < 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol}")
    return wrap(_near(array_of(input), array_of(other), rtol, atol, equal_nan))


def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether `isclose`, whose parameters these are, holds everywhere."""
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan)._value))


_NEARNESS = "(Tensor input, Tensor other, float rtol = 1e-05, float atol = 1e-08, bool equal_nan = False)"
declare("isclose", isclose, _NEARNESS, inplace=False)
declare("allclose", allclose, _NEARNESS, inplace=False)
