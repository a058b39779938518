"""The limits of torch's dtypes: ``finfo`` and ``iinfo``."""

from functools import cache
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from ..errors import read_only_attribute
from .dtypes import (
    _FLOAT4,
    _QUANTIZED,
    FLOAT8,
    FLOATING,
    INTEGER,
    NAMES,
    as_dtype,
    bfloat16,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
)
from .dtypes import bool as torch_bool

NOT_GIVEN = object()

# Decimal digits that survive a round trip through the dtype (C's FLT_DIG).
DIGITS = {float16: 3, bfloat16: 2, float32: 6, float64: 15, **dict.fromkeys(FLOAT8, 0)}


class _Limits:
    """Share among finfo and iinfo: they are immutable, equal where their dtypes are, never hashable."""

    __module__ = "torch"
    __slots__ = ("_of", "bits", "max", "min")

    _of: dtype
    bits: int

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise read_only_attribute(self, name)

    def __delattr__(self, name: str) -> NoReturn:
        raise read_only_attribute(self, name)

    def __eq__(self, other: object) -> bool:
        return self._of is other._of if isinstance(other, _Limits) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as torch's

    @property
    def dtype(self) -> str:
        """Return the name of the dtype, without ``torch.``."""
        return self._of.name


@cache
def _of_floating(of: dtype) -> tuple[tuple[str, Any], ...]:
    """Return what is told of a real floating dtype."""
    limits = ml_dtypes.finfo(of.numpy)
    return (
        ("_of", of),
        ("bits", 8 * of.itemsize),
        ("eps", float(limits.eps)),
        ("max", float(limits.max)),
        ("min", float(limits.min)),
        ("resolution", float(f"1e-{DIGITS[of]}")),
        ("smallest_normal", float(limits.smallest_normal)),
    )


class finfo(_Limits):
    """The limits of a floating-point dtype or of the parts of a complex one; by default of the default dtype.

    Attributes
    ----------
    bits : int
        Bits per number.
    eps : float
        The distance from 1 to the next larger number.
    max, min : float
        The largest number and its negative.
    smallest_normal, tiny : float
        The smallest positive normal number.
    resolution : float
        10 to the power of minus the number of exact decimal digits.
    dtype : str
    """

    __module__ = "torch"
    __slots__ = ("eps", "resolution", "smallest_normal")

    eps: float
    max: float
    min: float
    resolution: float
    smallest_normal: float

    def __init__(self, type: Any = NOT_GIVEN) -> None:
        of = get_default_dtype() if type is NOT_GIVEN else as_dtype(type, "finfo", "type", 1)
        if of.category < FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        if of is _FLOAT4:
            raise TypeError("bad argument type for built-in operation")
        of = of.to_real()
        for name, value in _of_floating(of):
            object.__setattr__(self, name, value)

    @property
    def tiny(self) -> float:
        """Return the same as ``smallest_normal``."""
        return self.smallest_normal

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """The limits of an integer dtype.

    Attributes
    ----------
    bits : int
        Bits per number.
    max, min : int
        The largest and the smallest number.
    dtype : str
    """

    __module__ = "torch"
    __slots__ = ()

    max: int
    min: int

    def __init__(self, type: Any) -> None:
        if (of := as_dtype(type, "iinfo", "type", 1)) is torch_bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if of in _QUANTIZED:
            raise NotImplementedError(f"\"dtype\" not implemented for '{of.scalar_type}'")
        if of.category > INTEGER or of.name in NAMES:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            )
        limits = np.iinfo(of.numpy)
        for name, value in (
            ("_of", of),
            ("bits", 8 * of.itemsize),
            ("max", int(limits.max)),
            ("min", int(limits.min)),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
