"""Make tensors for tests: random elements in a range, with torch's numbers for a seed."""

import math
from collections.abc import Sequence
from typing import Any

from ...array import dtype_limits, dtypes
from ...core.modes import change, modes, set_modes
from ...core.warn import warn
from ...tensor.complex_parts import view_as_real
from ...tensor.creation import empty
from ...tensor.random import randint

_WHOLE = frozenset({
    dtypes.bool, dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint16,
    dtypes.uint32, dtypes.uint64,
})  # fmt: skip
_COMPLEX = frozenset({dtypes.complex32, dtypes.complex64, dtypes.complex128})
_FLOATING = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}) | _COMPLEX


def _range(
    dtype: Any, low: Any, high: Any, least: float, most: float, default_low: float, default_high: float
) -> tuple[Any, Any]:
    low = default_low if low is None else low
    high = default_high if high is None else high
    if any(isinstance(v, float) and math.isnan(v) for v in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and dtype in _FLOATING:
        warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated "
            "since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.", FutureWarning
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{least}, {most})"
        )
    low, high = (min(max(v, least), most) for v in (low, high))
    return (math.ceil(low), math.ceil(high)) if dtype in _WHOLE else (low, high)


def _whole(shape: tuple[int, ...], dtype: Any, device: Any, low: Any, high: Any) -> Any:
    if dtype is dtypes.bool:
        low, high = _range(dtype, low, high, 0, 2, 0, 2)
    else:
        limits = dtype_limits.iinfo(dtype)
        beyond = 0 if dtype is dtypes.int64 else 1
        low, high = _range(dtype, low, high, limits.min, limits.max + beyond, -9, 10)
    return randint(low, high, shape, device=device, dtype=dtype)


def _floating(shape: tuple[int, ...], dtype: Any, device: Any, low: Any, high: Any) -> Any:
    limits = dtype_limits.finfo(dtype)
    low, high = _range(dtype, low, high, limits.min, limits.max, -9, 9)
    result = empty(shape, device=device, dtype=dtype)
    target = view_as_real(result) if dtype in _COMPLEX else result
    if high - low >= dtype_limits.finfo(target.dtype).max:
        target.uniform_(low / 2, high / 2).mul_(2)
    else:
        target.uniform_(low, high)
    return result


def make_tensor(
    *shape: Any, dtype: Any, device: Any, low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """Return a tensor of random elements from ``[low, high)``.

    Parameters
    ----------
    *shape : int or sequence of int
    dtype : dtype
    device : device or str
    low, high : number, optional
        −9 and 10 by default, 9 for floating dtypes, 0 and 2 for bool, within what the dtype can hold.
    requires_grad : bool
        Only for floating and complex dtypes.
    noncontiguous : bool
        Take every other of twice as many elements in the last dimension.
    exclude_zero : bool
        Put the smallest positive normal number, or 1, in place of zeros.
    memory_format : memory_format, optional
        Not together with `noncontiguous`.
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else tuple(shape)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    if requires_grad and dtype in _WHOLE:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}"
        )
    if dtype not in _WHOLE and dtype not in _FLOATING:
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request "
            "support, file an issue at: https://github.com/pytorch/pytorch/issues"
        )
    spread = noncontiguous and math.prod(sizes) > 1
    drawn = (*sizes[:-1], 2 * sizes[-1]) if spread else sizes
    before = change(grad=False)
    try:
        result = (_whole if dtype in _WHOLE else _floating)(drawn, dtype, device, low, high)
        if spread:
            result = result[..., 1::2]
        elif memory_format is not None:
            result = result.clone(memory_format=memory_format)
        if exclude_zero:
            result[result == 0] = 1 if dtype in _WHOLE else dtype_limits.finfo(dtype).tiny
    finally:
        set_modes(modes()._replace(grad=before.grad))
    if dtype in _FLOATING:
        result.requires_grad = requires_grad
    return result
