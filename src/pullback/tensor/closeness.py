"""Say whether two tensors are equal or nearly so."""

from typing import Any

import numpy as np

from ..array import dtypes
from ..array.dtype_words import type_word
from ..core.promotion import unsupported
from ..core.value import array_of, dtype_of, shape_of
from ..core.wrapper import is_wrapper, named
from ..ops import elementwise as e
from ..ops.comparison import near
from ..ops.convert import cast
from .api import public
from .batching import REQUEST, refuse_batched
from .operands import declare
from .properties import common_dtype
from .sizes import tensor


@public(out=False)
def equal(input: Any, other: Any) -> bool:
    """Return whether two tensors have the same shape and the same elements (nan equals nothing)."""
    # Plain arrays at once: to ask what the tensors are takes 4 µs.
    a, b = getattr(input, "_value", None), getattr(other, "_value", None)
    if type(a) is np.ndarray and type(b) is np.ndarray and a.dtype is b.dtype and a.dtype.kind in "biufc":
        return a.shape == b.shape and bool(np.logical_and.reduce(a == b, None))
    tensor("equal", "input", input)
    tensor("equal", "other", other, 2)
    if shape_of(input) != shape_of(other):
        return False
    refuse_batched(
        "Batching rule not implemented for aten::equal. We could not generate a fallback.", input, other
    )
    if is_wrapper(input) or is_wrapper(other):
        return bool(named("equal", input, other))
    a, b = array_of(input), array_of(other)
    if dtype_of(input) != dtype_of(other):
        common = common_dtype(input, other)  # where there is none, torch says so
        if a.size and common == dtypes.COMPLEX32:
            raise unsupported("equal_cpu", (), common)
    elif a.size and a.dtype == dtypes.COMPLEX32:
        raise unsupported("equal_notnan_cpu" if a is b else "equal_cpu", (), dtypes.COMPLEX32)
    return bool(np.array_equal(a, b))


def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Return nearness of each element, ``|input − other| ≤ atol + rtol·|other|``.

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
        raise RuntimeError(f"{type_word(dtype_of(input))} did not match {type_word(dtype_of(other))}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    if (rtol or atol) and dtype_of(input) in dtypes.FLOAT8_NUMPY:
        e.deg2rad.op.refuse(dtype_of(input))  # its kernel is the same product with a number
    if (rtol or atol) and dtype_of(input).kind in "biu":
        # As in torch: the difference of two integers need not be one of their dtype.
        input, other = (cast(v, dtypes.get_default_dtype().numpy) for v in (input, other))
    return near(input, other, rtol, atol, equal_nan)


def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Return whether `isclose`, whose parameters these are, holds everywhere."""
    refuse_batched(f"vmap over torch.allclose isn't supported yet.{REQUEST}", input, other)
    near = isclose(input, other, rtol, atol, equal_nan)
    return bool(near.all()) if is_wrapper(near) else bool(np.all(array_of(near)))


_NEARNESS = "(Tensor input, Tensor other, float rtol = 1e-05, float atol = 1e-08, bool equal_nan = False)"
declare("isclose", isclose, _NEARNESS, inplace=False)
declare("allclose", allclose, _NEARNESS, inplace=False)
