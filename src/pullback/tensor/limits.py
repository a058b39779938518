"""Values cut to limits, mixed, or added as scaled products; nans and infinities replaced."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..array import dtype_limits, dtypes
from ..array.dtype_words import c_name, not_implemented, sized_name
from ..core.op import TABLE
from ..core.promotion import unsupported
from ..core.value import TensorBase, dtype_of
from ..ops import elementwise as e
from ..ops import mixture as m
from ..ops.kernel_words import RARE
from .data import overflow
from .inplace_variants import InPlace
from .math import factor, widened
from .operands import declare
from .properties import common_dtype
from .rearrange import refuse_complex_history
from .tensor import Tensor


def clamp(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Cut to limits, ``min(max(input, min), max)``.

    Parameters
    ----------
    input : Tensor
    min, max : Tensor or number, optional
        Both tensors or both numbers; one may be None. Where min > max, the result is max.
    """
    if type(min) is float and (kind := dtype_of(input)).kind == "f" and _is_held(kind, min, max):
        return m.clamp(input, min, max)  # what is most common, 1 µs sooner
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        if dtype_of(input).kind in "cW":
            raise NotImplementedError("clamp is not supported for complex types")
        if min is None:
            return m.clamp_max(input, max)
        if max is None:
            return m.clamp_min(input, min)
        if (common := common_dtype(input, min, max)).kind == "c":
            raise unsupported("clamp_cpu", (), common)
        return m.clamp_both(input, min, max)
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if dtype_of(input).kind in "fV" and (isinstance(min, complex) or isinstance(max, complex)):
        raise overflow("double")
    word = "clamp_max_scalar_cpu" if min is None else "clamp_min_scalar_cpu" if max is None else None
    wide, min, max = _real(word or "clamp_scalar_cpu", input, min, max)
    return m.clamp(wide, min, max)


def _is_held(dtype: np.dtype[Any], *limits: Any) -> bool:
    """Return whether limits are floats that are surely within a floating dtype's range, or None."""
    most = _SMALL if dtype.itemsize == 2 else _LARGE
    return all(v is None or (type(v) is float and -most <= v <= most) for v in limits)


def _real(word: str, input: Any, *limits: Any) -> tuple[Any, ...]:
    """Return the input in the dtype in which it meets the limits, and these; complex values have no order,
    and bools no kernel, whose name is `word`.
    """
    wide = widened(input, *limits)
    if (dtype := dtype_of(wide)).kind == "b" or dtype in RARE:
        raise unsupported(word, (), dtype)
    if dtype.kind in "cW":
        raise NotImplementedError("clamp is not supported for complex types")
    check_held(dtype, *limits)
    if dtype.kind == "u":
        limits = tuple(None if v is None else int(np.asarray(v, np.int64).astype(dtype)) for v in limits)
    return wide, *limits


def check_held(dtype: np.dtype[Any], *numbers: Any) -> None:
    """Raise torch's error for a number that is not within a dtype's range."""
    for limit in numbers:
        dtypes.check_number(limit)
        if limit is not None and (dtype.kind in "iu" or abs(limit) > _SMALL) and not _holds(dtype, limit):
            raise overflow(sized_name(dtype))


#: What every floating dtype holds, and every one of more than 16 bits.
_SMALL, _LARGE = 65504.0, float(np.finfo(np.float32).max)


def _holds(dtype: np.dtype[Any], limit: float) -> bool:
    """Return whether a dtype has a number within its range; the infinities are in every floating one."""
    low, high = _bounds(dtype)
    return low <= limit <= high or (dtype.kind not in "iu" and not math.isfinite(limit))


@functools.cache
def _bounds(dtype: np.dtype[Any]) -> tuple[float, float]:
    """Return the least and the largest number that a dtype takes."""
    bounds = dtype_limits.iinfo if dtype.kind in "iu" else dtype_limits.finfo
    known = bounds(dtypes.from_numpy_dtype(dtype))
    # As in C++, a number without a sign takes negative ones, which go around.
    return -known.max if dtype.kind == "u" else known.min, known.max


def clamp_min(input: Any, min: Any) -> Tensor:
    """Cut from below, ``max(input, min)``.

    Parameters
    ----------
    input : Tensor
    min : Tensor or number
    """
    if isinstance(min, TensorBase):
        return m.clamp_min_tensor(input, min)
    wide, min = _real("clamp_min_scalar_cpu", input, min)
    return m.clamp_min_number(wide, min, None)


def clamp_max(input: Any, max: Any) -> Tensor:
    """Cut from above, ``min(input, max)``.

    Parameters
    ----------
    input : Tensor
    max : Tensor or number
    """
    if isinstance(max, TensorBase):
        return m.clamp_max_tensor(input, max)
    wide, max = _real("clamp_max_scalar_cpu", input, max)
    return m.clamp_max_number(wide, None, max)


def _limit_parts(min: Any = None, max: Any = None) -> Any:
    limits = [limit for limit in (min, max) if limit is not None]
    # Whatever is larger, or no number, is looked at.
    if limits and all(type(v) in (float, int) and abs(v) <= _SMALL for v in limits):
        return m.clamp.op, (), (min, max)
    return None, (), ()


for _name in ("clamp", "clip"):
    declare(
        _name, clamp, "(Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)",
        "(Tensor input, Number min = None, Number max = None, *, Tensor out = None)", numbers=("min", "max"),
        inplace=InPlace(_limit_parts),
    )
declare(
    "clamp_min", clamp_min, "(Tensor input, Tensor min, *, Tensor out = None)",
    "(Tensor input, Number min, *, Tensor out = None)", numbers=("min",),
)
declare(
    "clamp_max", clamp_max, "(Tensor input, Tensor max, *, Tensor out = None)",
    "(Tensor input, Number max, *, Tensor out = None)", numbers=("max",),
)

def _lerp_parts(end: Any, weight: Any) -> Any:
    return (m.lerp.op, (end,), (weight,)) if isinstance(weight, (int, float)) else (None, (), ())


def lerp(input: Any, end: Any, weight: Any) -> Tensor:
    """Return the mixture ``input + weight·(end − input)``.

    Parameters
    ----------
    input, end : Tensor
        Floating, of one dtype; shapes broadcast.
    weight : Tensor or number
        0 gives `input`, 1 gives `end`.
    """
    others = [("end", end), *([("weight", weight)] if isinstance(weight, TensorBase) else [])]
    for name, other in others:
        scalar = name == "weight" and not other.shape
        if dtype_of(other) != dtype_of(input) and not scalar:
            raise RuntimeError(
                f"expected dtype {c_name(dtype_of(input))} for `{name}` but got dtype "
                f"{c_name(dtype_of(other))}"
            )
    if dtype_of(input).kind in "biu":
        kernel = "lerp_kernel_tensor" if len(others) == 2 else "lerp_kernel_scalar"
        raise not_implemented(kernel, dtype_of(input))
    if len(others) == 2:
        return m.lerp_tensor(input, end, weight)
    return m.lerp(input, end, factor(weight, input))


declare(
    "lerp", lerp, "(Tensor input, Tensor end, Tensor weight, *, Tensor out = None)",
    "(Tensor input, Tensor end, Number weight, *, Tensor out = None)", inplace=InPlace(_lerp_parts),
    numbers=("weight",),
)


def _product_parts(op: Any) -> Any:
    def parts(first: Any, second: Any, *, value: Any = 1) -> Any:
        return (op, (first, second), (value,)) if isinstance(value, (int, float)) else (None, (), ())

    return parts


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """Sum with a scaled product, ``input + value·tensor1·tensor2``.

    Parameters
    ----------
    input, tensor1, tensor2 : Tensor
        Shapes broadcast.
    value : number
    """
    return m.addcmul(input, tensor1, tensor2, factor(value, input, tensor1, tensor2))


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """Sum with a scaled quotient, ``input + value·tensor1/tensor2``.

    Parameters
    ----------
    input, tensor1, tensor2 : Tensor
        Shapes broadcast; at least one of the latter two is floating.
    value : number
    """
    if dtype_of(tensor1).kind in "biu" and dtype_of(tensor2).kind in "biu":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
            "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
            "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
            "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior "
            "is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
        )
    return m.addcdiv(input, tensor1, tensor2, factor(value, input, tensor1, tensor2))


_PRODUCT = "(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)"
for _product in (addcmul, addcdiv):
    declare(
        _product.__name__, _product, _PRODUCT, numbers=("value",),
        inplace=InPlace(_product_parts(TABLE[_product.__name__]), older=True),
    )


def nan_to_num(
    input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Return finite numbers instead of nan and the infinities.

    Parameters
    ----------
    input : Tensor
    nan : float, optional
        By default 0.
    posinf, neginf : float, optional
        By default the largest and the smallest finite number.
    """
    refuse_complex_history("nan_to_num", input)
    return _replaced(input, nan, posinf, neginf)


def _replaced(
    input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    return e.nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


declare(
    "nan_to_num", nan_to_num,
    "(Tensor input, float nan = None, float posinf = None, float neginf = None, *, Tensor out = None)",
    inplace=InPlace(written=_replaced),
)
