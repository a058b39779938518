"""Ops that take numbers apart or step between them: mantissa and exponent, the next number, common divisors,
rounding to decimals, a step with a given value at zero.
"""

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.layout import as_first, placed
from ..core.op import Term, elementwise, op
from ..core.promotion import NARROW, check_broadcast, unsupported
from ..core.value import dtype_of
from .comparison import eq, where, zeros_of
from .convert import as_dtype, conj
from .elementwise import exp2
from .kernels import into, refuse
from .signatures import FLOATING, FLOATS, INTEGERS, TWO

gcd = elementwise(
    "gcd", np.gcd, None, None, check=refuse("gcd_cpu", "bfc", halves=True), signatures=TWO, takes=INTEGERS,
    summary="Return the greatest common divisor of both elements: 0 of 0 and 0.",
)


def _lcm(x: ndarray, y: ndarray, /, out: Any = ...) -> ndarray:
    return np.abs(np.lcm(x, y), out=out)  # a multiple that overflows may come out negative


lcm = elementwise(
    "lcm", _lcm, None, None, check=refuse("lcm_cpu", "bfc", halves=True), signatures=TWO, takes=INTEGERS,
    summary="Return the least common multiple of both elements: 0 where one is 0.",
)


def _nextafter(x: ndarray, y: ndarray, /, out: object = ...) -> ndarray:
    result = np.nextafter(x, y)
    return into(out, np.where(x == y, y, result) if result.itemsize == 2 else result)


#: The number next to x towards y; y where they are equal, without a derivative there.
nextafter = elementwise(
    "nextafter", _nextafter, lambda g, x, y: where(eq(x, y), 0, g), lambda g: zeros_of(g), halves=False,
    check=refuse("nextafter_cpu", "biuc"), signatures=TWO, takes=FLOATING,
    summary="Return the number of the dtype that comes next after `input` towards `other`.",
)


def _check_exponents(x: Any, y: Any) -> None:
    """Refuse the exponents that torch has no kernel for; integers of floating numbers pass as they are."""
    if dtypes.result_numpy_dtype([np.zeros((), x.dtype), y]) == dtypes.COMPLEX32:
        raise unsupported("pow", (), dtypes.COMPLEX32)  # of a 2 in the dtype of x to the power of y
    if isinstance(y, ndarray) and y.dtype in dtypes.FLOAT8_NUMPY:
        raise unsupported("pow", (), y.dtype)
    if x.dtype.kind not in "fV" or not isinstance(y, ndarray):
        return
    if y.dtype.kind == "b" or (y.dtype.kind == "u" and y.itemsize > 1):
        check_broadcast((x, y))
        raise unsupported("ldexp_cpu_exp", (), y.dtype)


def _ldexp(x: object, y: object, /, out: object = ...) -> ndarray:
    if (common := dtypes.result_numpy_dtype([x, y])).kind in "biu":
        common = dtypes.get_default_dtype().numpy
    wide = NARROW.get(common, common)
    x, y = np.asarray(x), np.asarray(y)
    if y.dtype.kind in "biu" and x.dtype.kind in "fV":
        # Beyond these exponents every result is 0 or infinite; NumPy takes no larger ones.
        exponents = np.clip(y.astype(np.int64), -5000, 5000).astype(np.int32)
        result = np.ldexp(x.astype(wide), exponents)
    else:
        # torch raises a 2 to the power in the power's own dtype, in the common one that of integers. Where x
        # has another dtype than the default, the 2 is a tensor of that dtype, without axes.
        own = y.dtype if y.dtype.kind in "fcV" else common
        if own is not common and x.dtype != dtypes.get_default_dtype().numpy:
            own = dtypes.result_numpy_dtype([np.zeros((), x.dtype), y])
        power = np.exp2(y.astype(NARROW.get(own, own))).astype(own).astype(common)
        result = np.multiply(x.astype(common), power)
    return into(out, result.astype(common))


#: x·2^y, exact for an integer y.
ldexp = elementwise(
    "ldexp", _ldexp, lambda g, y: g * conj(exp2(y)), lambda g, out: g * conj(out * math.log(2)),
    promote=None, halves=False, saves=("out",), check=_check_exponents, signatures=TWO, takes=FLOATS,
    summary="Return ``input · 2^other``.",
    # torch computes it of x and of 2^y, which is in C order.
    place=lambda result, operands: placed(result, (operands[0], np.asarray(operands[1], order="C"))),
)


def _frexp(x: ndarray, /) -> tuple[ndarray, ndarray]:
    if x.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(x.astype(np.float32) if x.dtype.itemsize == 2 else x)
    return np.asarray(mantissa).astype(x.dtype), np.asarray(exponent, np.int32)


#: The mantissa in [½, 1) and the exponent of x = mantissa·2^exponent.
frexp = op(
    "frexp", _frexp, (lambda g, exponent: g / exp2(as_dtype(exponent, dtype_of(g))),),
    outputs=("mantissa", "exponent"), differentiable=(0,), batch=lambda size: (), place=as_first,
)


def _round_decimals(x: ndarray, /, decimals: int, out: Any = ...) -> ndarray:
    if not decimals:
        return np.rint(x, out=out)
    scale = np.power(x.dtype.type(10), x.dtype.type(abs(decimals)))
    if decimals > 0:
        return np.divide(np.rint(x * scale), scale, out=out)
    return np.multiply(np.rint(x / scale), scale, out=out)


def _refuse_round(x: Term, decimals: int) -> None:
    refuse("round_cpu" if decimals else "round_vml_cpu", "biuc", inputs=1)(x)


#: The nearest multiple of 10^−decimals.
round_decimals = elementwise(
    "round_decimals", _round_decimals, lambda g: zeros_of(g), attrs=("decimals",), promote=None,
    node_name="RoundBackward1", check=_refuse_round,
)


def _heaviside(x: ndarray, y: ndarray, /, out: object = ...) -> ndarray:
    one, zero = x.dtype.type(1), x.dtype.type(0)
    return into(out, np.where(np.equal(x, 0), y, np.where(np.greater(x, 0), one, zero)))


#: 0 below zero and for nan, y at zero, 1 above.
heaviside = elementwise("heaviside", _heaviside, underivable="heaviside", promote=None)


#: |x| with the sign of a number.
copysign_number = elementwise(
    "copysign_number",
    lambda x, /, y, out=...: np.copysign(x, np.asarray(y, x.dtype), out=out),
    lambda g, x, out: g * where(eq(x, 0), 0, out / x), attrs=("y",),
    promote="float", node_name="CopysignBackward1", check=refuse("copysign_cpu", "c"),
)
