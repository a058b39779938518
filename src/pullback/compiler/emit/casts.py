"""Changes of dtype, as instructions: what NumPy's ``astype`` does to an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import half_precision
from .scalars import BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, NARROW, TYPES, Value, is_float, number

if TYPE_CHECKING:
    from .emitter import Emitter

#: The integers that floating numbers are cast to; of narrower ones NumPy's casts depend on the loop.
WHOLE = frozenset({np.dtype(np.int32), np.dtype(np.int64)})


def cast(ops: Emitter, x: Value, dtype: np.dtype[Any]) -> Value:
    """Return a scalar in another dtype; of integers, floating numbers become those of `WHOLE` alone."""
    if (source := x.dtype) in NARROW:
        return ops.cast(_wide(ops, x), dtype)
    if dtype in NARROW:
        return _narrow(ops, x, dtype)
    a, b = TYPES[source], TYPES[dtype]
    if dtype == BOOL:
        zero = number(0, source)
        text = f"fcmp une {a} {x.name}, {zero}" if is_float(source) else f"icmp ne {a} {x.name}, {zero}"
    elif source == FLOAT32 and dtype == FLOAT64:
        return _extended(ops, x, dtype)
    elif is_float(source) and is_float(dtype):
        text = f"fptrunc {a} {x.name} to {b}"
    elif is_float(source):
        return _whole(ops, x, dtype)
    elif is_float(dtype):
        unsigned = source.kind in "bu"
        text = f"{'uitofp' if unsigned else 'sitofp'} {a} {x.name} to {b}"
    elif source.itemsize > dtype.itemsize and source != BOOL:
        text = f"trunc {a} {x.name} to {b}"
    elif source == BOOL or source.itemsize < dtype.itemsize:
        text = f"{'zext' if source.kind in 'bu' else 'sext'} {a} {x.name} to {b}"
    else:
        return Value(x.name, dtype)
    return ops.instruction(text, dtype)


def _whole(ops: Emitter, x: Value, dtype: np.dtype[Any]) -> Value:
    """Return the whole part of a number; the least integer for nan and what is beyond, as processors say."""
    if dtype not in WHOLE:
        raise TypeError(f"no native cast from {x.dtype} to {dtype}")
    least = int(np.iinfo(dtype).min)
    # LLVM leaves open what becomes of a number that does not fit.
    a = TYPES[x.dtype]
    above = ops.named(f"fcmp ogt {a} {x.name}, {number(float(least), x.dtype)}", BOOL)
    below = ops.named(f"fcmp olt {a} {x.name}, {number(-float(least), x.dtype)}", BOOL)
    fits = ops.instruction(f"and i1 {above}, {below}", BOOL)
    fitting = ops.select(fits, x, ops.constant(0, x.dtype))
    found = ops.instruction(f"fptosi {a} {fitting.name} to {TYPES[dtype]}", dtype)
    return ops.select(fits, found, ops.constant(least, dtype))


def _wide(ops: Emitter, x: Value) -> Value:
    """Return a half as a float32."""
    if x.dtype == BFLOAT16:
        return half_precision.of_bfloat(ops, x)
    return _extended(ops, x, FLOAT32) if half_precision.has_halves() else half_precision.of_half(ops, x)


def _narrow(ops: Emitter, x: Value, dtype: np.dtype[Any]) -> Value:
    """Return a scalar as a half, by way of float32, as torch does: a float64 is rounded twice."""
    single = ops.cast(x, FLOAT32)
    if x.dtype == FLOAT64:
        # LLVM would make one rounding of the two, for which it calls a function that is nowhere.
        single = kept(ops, single)
    if dtype == BFLOAT16:
        return half_precision.to_bfloat(ops, single)
    if dtype == FLOAT16 and not half_precision.has_halves():
        return half_precision.to_half(ops, single)
    return ops.instruction(f"fptrunc {TYPES[FLOAT32]} {single.name} to {TYPES[dtype]}", dtype)


def _extended(ops: Emitter, x: Value, dtype: np.dtype[Any]) -> Value:
    """Return a float as a wider one."""
    ops.extended.add(dtype)
    return ops.instruction(f"fpext {TYPES[x.dtype]} {x.name} to {TYPES[dtype]}", dtype)


def compared(ops: Emitter, x: Value) -> Value:
    """Return a float as it is compared. A comparison of what were narrower numbers LLVM makes to one of
    these, and a choice by it then to one that of 0 and -0 takes the other (LLVM 22).
    """
    return kept(ops, x) if x.dtype in ops.extended and x.name.startswith("%") else x


def kept(ops: Emitter, x: Value) -> Value:
    """Return a float that LLVM computes as it is written: a product with a number that it does not know."""
    one = ops.unknown(ops.constant(1, x.dtype))
    return ops.instruction(f"fmul {TYPES[x.dtype]} {x.name}, {one.name}", x.dtype)
