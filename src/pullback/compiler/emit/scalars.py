"""Scalars in LLVM's text: the type of each dtype, values in registers, and constants."""

import struct
from functools import lru_cache
from math import copysign
from typing import Any

import ml_dtypes
import numpy as np

from ...array.named_tuples import NamedTuple

BOOL = np.dtype(bool)
INT16, INT32, INT64 = np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
FLOAT16, BFLOAT16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
TYPES = {
    BOOL: "i1", np.dtype(np.int8): "i8", np.dtype(np.uint8): "i8", INT16: "i16",
    INT32: "i32", INT64: "i64", FLOAT32: "float", FLOAT64: "double",
    # As whole numbers: to choose between two bfloat LLVM converts them, subnormal ones to zeros, and what it
    # makes of a comparison may be no instruction of the processor's (LLVM 22, vectors of 512 bits).
    FLOAT16: "half", BFLOAT16: "i16",
}  # fmt: skip
#: Dtypes by LLVM's names of the types that are computed with.
DTYPES: dict[str, np.dtype[Any]] = {"float": FLOAT32, "double": FLOAT64}
NARROW = {FLOAT16, BFLOAT16}


class Value(NamedTuple):
    """A scalar in a register: its name, or a number in LLVM's notation."""

    name: str
    dtype: np.dtype[Any]


def is_float(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is a floating one, the halves included."""
    return dtype.kind == "f" or dtype in NARROW


def computing(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which values of a dtype are computed: float32 for the halves."""
    return FLOAT32 if dtype in NARROW else dtype


def number(value: Any, dtype: np.dtype[Any]) -> str:
    """Return a constant in LLVM's notation."""
    # 75,800 constants of 10,000 irregular kernels are 30 different ones: 0.4 s.
    if type(value) is float or type(value) is int:
        return _written(value, copysign(1, value), dtype)
    return _number(value, dtype)


@lru_cache(1024, typed=True)
def _written(value: float, sign: float, dtype: np.dtype[Any]) -> str:  # zeros differ in it
    return _number(value, dtype)


def _number(value: object, dtype: np.dtype[Any]) -> str:
    if dtype == BOOL:
        return "true" if value else "false"
    if dtype == BFLOAT16:
        with np.errstate(all="ignore"):
            return str(int(np.asarray(value).astype(dtype).view(np.int16)))
    if is_float(dtype):
        # LLVM writes a float as the bits of the double that equals it.
        with np.errstate(all="ignore"):
            exact = float(np.asarray(value).astype(dtype))
        (bits,) = struct.unpack("<Q", struct.pack("<d", exact))
        return f"0x{bits:016X}"
    return str(int(np.asarray(value).astype(dtype)))
