"""Functions of one value, element by element: powers and roots, exponentials, trigonometry, rounding.

A rule multiplies the covector by the conjugate of the derivative: for complex values that is torch's
convention (the gradient with respect to the conjugate), for real ones `conj` does nothing.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtype_limits, dtypes, large
from ..array.activations import sigmoid_adjoint, sigmoid_block
from ..array.elementwise import WORTH_BLOCKS, blockwise, native
from ..array.layout import as_first
from ..array.numbers import ZEROS
from ..core.bulk import Bulk
from ..core.connected import Gradient
from ..core.op import Call, Term, elementwise
from ..core.value import dtype_of
from .arithmetic import log, one_over, reciprocal, rsqrt
from .comparison import isfinite, where, zeros_of
from .complex import real
from .convert import conj
from .kernels import into, is_ordered, refuse
from .signatures import ANY, FLOATING, NUMBERS, REAL, REAL_NUMBERS


def _float(name: str, kernel: Any, rule: Callable[..., Any] | None, **fields: Any) -> Any:
    return elementwise(name, kernel, rule, promote="float", **fields)


exp = _float("exp", np.exp, lambda g, out: g * conj(out),
             summary="Return the exponential eˣ of each element.")
exp2 = _float("exp2", np.exp2, lambda g, out: g * conj(out) * math.log(2),
              summary="Return the power 2ˣ of each element.", names=("exp2", "special.exp2"))
expm1 = _float("expm1", np.expm1, lambda g, out: g * conj(out + 1),
               summary="Return eˣ − 1 of each element, exact near 0.", names=("expm1", "special.expm1"))
log2 = _float("log2", np.log2, lambda g, x: g / conj(x * math.log(2)),
              summary="Return the logarithm to the base 2 of each element: nan below 0 and −∞ at 0.")
log10 = _float("log10", np.log10, lambda g, x: g / conj(x * math.log(10)),
               summary="Return the logarithm to the base 10 of each element: nan below 0 and −∞ at 0.")
log1p = _float("log1p", np.log1p, lambda g, x: g / conj(x + 1),
               summary="Return log(1 + x) of each element, exact near 0.", names=("log1p", "special.log1p"))
sqrt = _float("sqrt", np.sqrt, lambda g, out: g / (2 * conj(out)),
              summary="Return the square root of each element: nan below 0.")

sin = _float("sin", np.sin, lambda g, x: g * conj(cos(x)),
             summary="Return the sine of each element, an angle in radians.")
cos: Call = _float("cos", np.cos, lambda g, x: g * -conj(sin(x)),
                   summary="Return the cosine of each element, an angle in radians.")
def _acosh_rule(g: Term, x: Term) -> Term:
    """Return g / √(x² − 1); on the complex plane the root of the product would take the wrong branch."""
    return g * conj(rsqrt(x - 1) * rsqrt(x + 1)) if dtype_of(x).kind in "cW" else g * rsqrt(x * x - 1)


def _no_angle(name: str) -> Callable[[ndarray], None]:
    def check(x: ndarray) -> None:
        if x.dtype.kind in "cW":
            raise RuntimeError(f"{name} is not supported for complex tensors.")

    return check


rad2deg = _float("rad2deg", lambda x, /, out=...: np.multiply(x, x.dtype.type(180 / math.pi), out=out),
                 lambda g: g * (180 / math.pi), check=_no_angle("rad2deg"),
                 summary="Return each element, an angle in radians, in degrees: x·180/π.")
deg2rad = _float("deg2rad", lambda x, /, out=...: np.multiply(x, x.dtype.type(math.pi / 180), out=out),
                 lambda g: g * (math.pi / 180), check=_no_angle("deg2rad"),
                 summary="Return each element, an angle in degrees, in radians: x·π/180.")
tan = _float("tan", np.tan, lambda g, out: g * conj(1 + out * out),
             summary="Return the tangent of each element, an angle in radians.")
asin = _float("asin", np.arcsin, lambda g, x: g * conj(rsqrt(1 - x * x)),
              summary="Return the angle in [−π/2, π/2] whose sine each element is: nan outside [−1, 1].",
              names=("asin", "arcsin"))
acos = _float("acos", np.arccos, lambda g, x: g * -conj(rsqrt(1 - x * x)),
              summary="Return the angle in [0, π] whose cosine each element is: nan outside [−1, 1].",
              names=("acos", "arccos"))
atan = _float("atan", np.arctan, lambda g, x: g / conj(x * x + 1),
              summary="Return the angle in (−π/2, π/2) whose tangent each element is.",
              names=("atan", "arctan"))
sinh = _float("sinh", np.sinh, lambda g, x: g * conj(cosh(x)),
              summary="Return the hyperbolic sine (eˣ − e⁻ˣ)/2 of each element.")
cosh: Call = _float("cosh", np.cosh, lambda g, x: g * conj(sinh(x)),
                    summary="Return the hyperbolic cosine (eˣ + e⁻ˣ)/2 of each element.")
tanh = _float("tanh", np.tanh, lambda g, out: g * conj(1 - out * out),
              chained=True, summary="Return the hyperbolic tangent sinh(x)/cosh(x) of each element.")
asinh = _float("asinh", np.arcsinh, lambda g, x: g * conj(rsqrt(x * x + 1)),
               summary="Return the value whose hyperbolic sine each element is: log(x + √(x² + 1)).",
               names=("asinh", "arcsinh"))
acosh = _float(
    "acosh", np.arccosh, _acosh_rule,
    summary="Return the value whose hyperbolic cosine each element is: log(x + √(x² − 1)), nan below 1.",
    names=("acosh", "arccosh"),
)
atanh = _float("atanh", np.arctanh, lambda g, x: g / conj(1 - x * x),
               summary="Return the value whose hyperbolic tangent each element is: log((1 + x)/(1 − x))/2.",
               names=("atanh", "arctanh"))


def _sigmoid(x: ndarray, /, out: Any = ...) -> ndarray:
    if x.size >= min(WORTH_BLOCKS, large.CHAIN):
        return blockwise(sigmoid_block, x, out=out)
    e = np.negative(x, out=...)
    np.exp(e, out=e)
    np.add(e, 1, out=e)
    return one_over(e, out=out)


def _sigmoid_rule(g: Any, out: Any) -> Any:
    if type(g) is Bulk and out.dtype == g.dtype and g.dtype in (np.float32, np.float64):
        return sigmoid_adjoint(g.value, out.value)  # one pass through the memory instead of three
    return g * conj((1 - out) * out)


sigmoid = _float("sigmoid", _sigmoid, _sigmoid_rule, chained=True,
                 summary="Return the logistic function 1/(1 + e⁻ˣ) of each element.",
                 names=("sigmoid", "special.expit"))


def _sgn_rule(g: Term, x: Term, out: Term) -> Term:
    if dtype_of(x).kind not in "cW":
        return zeros_of(g)
    size = abs(x)
    return where(size > 0, (g - out * real(conj(out) * g)) / size, 0)


def _signs(x: ndarray, /, out: Any = ...) -> ndarray:
    if x.dtype.kind == "b":
        return into(out, x.copy())
    if x.dtype.kind == "c":  # NumPy's own gives a direction to infinite numbers; torch gives nan
        size, signs = np.abs(x), np.empty_like(x)
        # Not x / size: NumPy multiplies by 1/size, which is infinite for subnormal numbers, and takes longer.
        signs.real, signs.imag = x.real / size, x.imag / size
        np.copyto(signs, 0, where=size == 0)
        np.copyto(signs, complex(np.nan, np.nan), where=np.isinf(x.real) | np.isinf(x.imag))
        return into(out, signs)
    if x.dtype.kind != "f":
        return np.sign(x, out=out)
    if x.size >= large.CHAIN and (found := native("sign", (x,), (), out)) is not None:
        return found
    nan = np.isnan(x)
    result = np.sign(x, out=out)
    np.copyto(result, 0, where=nan)
    return result


def _no_complex_sign(x: ndarray) -> None:
    if not is_ordered(x.dtype):
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn "
            "instead."
        )


_no_complex_sign.takes = is_ordered  # type: ignore[attr-defined]  # see `Op`

sgn = elementwise(
    "sgn", _signs, _sgn_rule, promote=None,
    jvp=lambda primals, tangents, out: _sgn_rule(tangents[0], primals[0], out),
    summary="Return the sign of each element; of a complex one its direction x/|x|, and 0 at 0.", takes=ANY,
)
sign = elementwise(
    "sign", _signs, lambda g: zeros_of(g), promote=None, check=_no_complex_sign,
    summary="Return −1, 0 or 1: the sign of each element.", takes=REAL,
)


def _abs(x: ndarray, /, out: Any = ...) -> ndarray:
    if x.size >= large.SIZE and (found := native("abs", (x,), (), out)) is not None:
        return found
    return np.absolute(x, out=out)


def _no_complex_abs(input: Term) -> Term:
    if dtype_of(input).kind in "cW":
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return abs(input)


abs = elementwise(
    "abs", _abs, lambda g, x: g * sgn(x), promote=None, check=refuse("abs_cpu", "b"),
    jvp=lambda primals, tangents, out: real(conj(sgn(primals[0])) * tangents[0]), float8=True,
    summary="Return the size |x| of each element: a real number, also of a complex one.", takes=NUMBERS,
    names=("abs", "absolute"), inplace=_no_complex_abs,
)


def _rounding(name: str, function: np.ufunc, summary: str = "", *aliases: str) -> Call:
    def kernel(x: ndarray, /, out: Any = ...) -> ndarray:
        return np.positive(x, out=out) if x.dtype.kind in "iu" else function(x, out=out)

    def check(x: ndarray) -> None:
        if x.dtype.kind in "cW" and name != "round":
            raise NotImplementedError(f"{name} is not supported for complex inputs")
        refuse(f"{name}_vml_cpu", "bc", inputs=1)(x)

    return elementwise(
        name, kernel, lambda g: zeros_of(g), promote=None, check=check, summary=summary, takes=REAL_NUMBERS,
        names=(name, *aliases),
    )


floor = _rounding("floor", np.floor, "Return the greatest whole number that is not above each element.")
ceil = _rounding("ceil", np.ceil, "Return the least whole number that is not below each element.")
trunc = _rounding(
    "trunc", np.trunc, "Return each element without its fraction: the whole number next to it towards 0.",
    "fix",
)
round = _rounding("round", np.rint)


frac = elementwise(
    "frac",
    lambda x, /, out=...: np.subtract(x, np.trunc(x), out=out),
    lambda g: g, promote=None, check=refuse("frac_cpu", "biuc"),
    summary="Return the fraction x − trunc(x) of each element, of its sign.", takes=FLOATING,
)


def _relu(x: ndarray, /, out: Any = ...) -> ndarray:
    """Return the larger of 0 and x; of 0 and −0 the second, as torch has it.

    NumPy's maximum with a number does not use SIMD, its clip does: 4,194,304 float32 take 1.5 ms and 0.7 ms.
    """
    if x.size < _WORTH_CLIPPING or x.dtype.kind != "f":
        return np.maximum(ZEROS.get(x.dtype, 0), x, out=out)
    if x.size >= large.CHAIN and (found := native("relu", (x,), (), out)) is not None:
        return found
    zero, most = x.dtype.type(0), x.dtype.type(np.inf)
    if x.size < WORTH_BLOCKS:
        return np.clip(x, zero, most, out=None if out is ... else out)
    return blockwise(lambda x, out: np.clip(x, zero, most, out=out), x, out=out)


#: Elements from which `clip`, which costs 2 µs more to call, is faster than `maximum`.
_WORTH_CLIPPING = 8192


def _refuse_relu(x: ndarray) -> None:
    if x.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if x.dtype.kind in "cW":
        raise NotImplementedError("clamp is not supported for complex types")


relu = elementwise(
    "relu", _relu, lambda g, out: where(out <= 0, 0, g), promote=None, check=_refuse_relu, chained=True,
    gradient=Gradient("ThresholdBackwardBackward0", of_result=True),
    summary="Return the larger of 0 and each element; nan stays.", takes=REAL_NUMBERS,
)


@functools.cache
def _limits(dtype: Any) -> tuple[float, float]:
    found = dtype_limits.finfo(dtypes.from_numpy_dtype(dtype))
    return found.min, found.max


def _nan_to_num(
    x: ndarray, /, nan: float, posinf: float | None, neginf: float | None, out: Any = ...
) -> ndarray:
    if x.dtype.kind in "biu":
        return into(out, x.copy())
    if x.dtype.kind == "c":
        result = np.empty_like(x)
        _nan_to_num(x.real, nan, posinf, neginf, out=result.real)
        _nan_to_num(x.imag, nan, posinf, neginf, out=result.imag)
        return into(out, result)
    if x.size >= large.CHAIN:
        found = native("nan_to_num", (x,), (nan, posinf, neginf), out)
        if found is not None:
            return found
    least, most = _limits(x.dtype)
    result = np.where(np.isnan(x), x.dtype.type(nan), x)
    np.copyto(result, most if posinf is None else posinf, where=np.equal(x, np.inf), casting="unsafe")
    np.copyto(result, least if neginf is None else neginf, where=np.equal(x, -np.inf), casting="unsafe")
    return into(out, result)


nan_to_num = elementwise(
    "nan_to_num", _nan_to_num, lambda g, x: where(isfinite(x), g, 0), promote=None,
    attrs=("nan", "posinf", "neginf"), halves=False, place=as_first,
)

__all__ = ["log", "reciprocal", "rsqrt"]
