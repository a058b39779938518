"""Elementwise ops of several values: clamps, mixtures, scaled sums, and binary functions with their
own derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.elementwise import WORTH_ASKING, WORTH_BLOCKS, blockwise, native
from ..array.layout import in_order
from ..array.numbers import scalar_like
from ..core.dual import fitted
from ..core.op import Call, Term, Terms, elementwise, renamed
from .comparison import chosen, eq, ge, gt, le, lt, where, zeros_of
from .convert import conj
from .elementwise import exp
from .kernels import into, is_ordered, no_complex_limits, refuse
from .large_sum import from_begin, from_end, of_terms, plus, plus_product, plus_quotient
from .signatures import FLOATING, REAL, TWO


def _chain(block: Callable[..., Any], arrays: tuple[Any, ...], out: Any, scratch: int) -> ndarray:
    """Run a chain of ufuncs in cache-sized blocks where the arrays are large and alike, else at once."""
    first = arrays[0]
    if type(first) is not ndarray:  # an element of a native loop, or what stands for an array in a chain
        return blockwise(block, *arrays, scratch=scratch, out=out)
    shape = first.shape
    alike, fresh = True, out is ...
    # Plain loops: on small arrays generators and `broadcast_shapes` cost 3 µs, all the arithmetic 1.
    for v in arrays[1:]:
        alike = alike and type(v) is ndarray and v.shape == shape
        fresh = fresh or v is out
    if alike and first.size >= WORTH_ASKING:
        return blockwise(block, *arrays, scratch=scratch, out=out)
    if not alike:
        shape = np.broadcast_shapes(*(np.shape(v) for v in arrays))
    result = np.empty(shape, first.dtype) if fresh else out
    block(*arrays, result, *[np.empty(shape, first.dtype) for _ in range(scratch)])
    return result if out is ... or not fresh else into(out, result)


def _add_scaled(x: ndarray, y: Any, /, alpha: Any, out: Any = ...) -> ndarray:
    if x.dtype.kind == "b":
        alpha = bool(alpha)
    if out is x and type(y) is ndarray and y.shape == x.shape and x.size < WORTH_ASKING and y is not x:
        return np.add(x, np.multiply(y, alpha), out=x)  # an optimizer's step, without what `_chain` asks
    if (found := of_terms(plus, alpha, (x, y), out)) is not None:
        return found

    def block(x: Any, y: Any, out: ndarray, spare: ndarray) -> None:
        np.multiply(y, alpha, out=spare)
        np.add(x, spare, out=out)

    return _chain(block, (x, y), out, 1)


#: x + alpha·y.
add_scaled = elementwise(
    "add_scaled", _add_scaled, lambda g: g, lambda g, alpha: g * alpha.conjugate(), attrs=("alpha",),
    node_name="AddBackward0", rounded_attrs=True,
)

#: The same as a difference: of a factor with the other sign.
sub_scaled = renamed(add_scaled, "sub_scaled", "SubBackward0")


def _addcmul(x: ndarray, y: object, z: object, /, value: object, out: object = ...) -> ndarray:
    if x.dtype.kind in "iu":
        value = x.dtype.type(value)
    return _plus(plus_product, np.multiply, (x, y, z), value, out)


def _plus(term: Any, join: np.ufunc, operands: tuple[Any, ...], value: Any, out: Any) -> ndarray:
    """Return x + join(value·y, z)."""
    if (found := of_terms(term, value, operands, out)) is not None:
        return found

    def block(x: Any, y: Any, z: object, out: ndarray, spare: ndarray) -> None:
        np.multiply(y, value, out=spare)
        join(spare, z, out=spare)
        np.add(x, spare, out=out)

    return _chain(block, operands, out, 1)


#: x + value·y·z.
addcmul = elementwise(
    "addcmul", _addcmul, lambda g: g, lambda g, z, value: g * conj(z * value),
    lambda g, y, value: g * conj(y * value), attrs=("value",),
    check=refuse("addcmul_cpu_out", "b", inputs=3),
)


#: x + value·y/z.
addcdiv = elementwise(
    "addcdiv",
    lambda x, y, z, /, value, out=...: _plus(plus_quotient, np.divide, (x, y, z), value, out),
    lambda g: g, lambda g, z, value: g * conj(value / z),
    lambda g, y, z, value: -g * conj((value * y) / (z * z)), attrs=("value",), promote="float",
    saves=("z",),
)


def _lerp(x: ndarray, y: Any, /, weight: Any, out: Any = ...) -> ndarray:
    near = abs(weight) < 0.5
    found = of_terms(from_begin if near else from_end, weight if near else 1 - weight, (x, y), out)
    if found is not None:
        return found

    def block(x: Any, y: Any, out: ndarray, spare: ndarray) -> None:
        np.subtract(y, x, out=spare)
        np.multiply(spare, weight if near else 1 - weight, out=spare)
        if near:
            np.add(x, spare, out=out)
        else:
            np.subtract(y, spare, out=out)

    return _chain(block, (x, y), out, 1)


#: x + weight·(y − x), computed from the nearer end.
lerp = elementwise(
    "lerp", _lerp, lambda g, weight: g * (1 - weight.conjugate()), lambda g, weight: g * weight.conjugate(),
    attrs=("weight",),
)


def _lerp_tensor(x: ndarray, y: Any, z: Any, /, out: Any = ...) -> ndarray:
    if x.size >= large.CHAIN and (found := native("lerp_tensor", (x, y, z), (), out)) is not None:
        return found
    near = np.abs(z) < 0.5
    return into(out, np.where(near, x + z * (y - x), y - (y - x) * (1 - z)))


#: x + z·(y − x) with a tensor of weights.
lerp_tensor = elementwise(
    "lerp_tensor", _lerp_tensor, lambda g, z: g * conj(1 - z), lambda g, z: g * conj(z),
    lambda g, x, y: g * conj(y - x), node_name="LerpBackward1", saves=("z",),
)


#: Elements from which `clip`, which takes 1.5 µs to begin, is faster than two ufuncs.
_WORTH_CLIPPING = 1 << 11
_CLIPPED = (np.dtype(np.float32), np.dtype(np.float64))


def _clamp(x: ndarray, /, low: Any, high: Any, out: Any = ...) -> ndarray:
    if x.size >= _WORTH_CLIPPING and x.dtype in _CLIPPED:
        # NumPy's loops of two operands do not use SIMD with a number: 4,000,000 elements take 2.8 ms with
        # them, 0.7 so, and 16,384 take 20 µs or 3.
        least = x.dtype.type(-math.inf if low is None else low)
        most = x.dtype.type(math.inf if high is None else high)
        if x.size >= large.CHAIN and x.flags.c_contiguous and least == least and most == most:
            result = np.empty(x.shape, x.dtype) if out is not x else x
            if large.ask("clamp", x, result, np.asarray(least), np.asarray(most)):
                return result if out is ... or out is x else into(out, result)
        if x.size < WORTH_BLOCKS:
            return np.clip(x, least, most, out=out)
        return blockwise(lambda x, out: np.clip(x, least, most, out=out), x, out=out)
    # Of 0 and -0 a ufunc takes the second: the element stays, as in torch.
    if low is not None and high is not None:
        result = np.maximum(_limit(x, low), x, out=out)
        return np.minimum(_limit(x, high), result, out=result)
    if low is not None:
        return np.maximum(_limit(x, low), x, out=out)
    return np.minimum(_limit(x, high), x, out=out)


def _limit(x: ndarray, number: object) -> Any:
    found = scalar_like(x, number)
    return np.asarray(number, x.dtype) if found is None else found


def _inside(x: Term, low: object, high: object) -> Term:
    if low is None:
        return le(x, high)
    return ge(x, low) if high is None else ge(x, low) & le(x, high)


#: x cut to [low, high]; at a border the covector passes.
clamp = elementwise(
    "clamp", _clamp, lambda g, x, low, high: where(_inside(x, low, high), g, 0), attrs=("low", "high"),
    promote=None, node_name="ClampBackward1", check=no_complex_limits,
)


#: x cut from below by y.
clamp_min = elementwise(
    "clamp_min",
    lambda x, y, /, out=...: np.maximum(x, y, out=out),
    lambda g, x, y: where(ge(x, y), g, 0), lambda g, x, y: where(lt(x, y), g, 0),
    node_name="ClampBackward0", check=refuse("maximum_cpu", "c"),
)
#: x cut from above by y.
clamp_max = elementwise(
    "clamp_max",
    lambda x, y, /, out=...: np.minimum(x, y, out=out),
    lambda g, x, y: where(le(x, y), g, 0), lambda g, x, y: where(gt(x, y), g, 0),
    node_name="ClampBackward0", check=refuse("minimum_cpu", "c"),
)


#: x cut to [y, z].
clamp_both = elementwise(
    "clamp_both", lambda x, y, z, /, out=...: np.minimum(np.maximum(x, y), z, out=out),
    lambda g, x, y, z: where(ge(x, y) & le(x, z), g, 0),
    lambda g, x, y, z: where(lt(y, z) & lt(x, y), g, 0),
    lambda g, x, y, z: where(gt(x, z) | gt(y, z), g, 0),
    node_name="ClampBackward0", check=no_complex_limits,
)  # fmt: skip

# The same under the names that clamp_min and clamp_max give their nodes.
clamp_min_tensor = renamed(clamp_min, "clamp_min_tensor", "ClampMinBackward1")
clamp_max_tensor = renamed(clamp_max, "clamp_max_tensor", "ClampMaxBackward1")
clamp_min_number = renamed(clamp, "clamp_min_number", "ClampMinBackward0")
clamp_max_number = renamed(clamp, "clamp_max_number", "ClampMaxBackward0")


def _share(g: Term, x: Term, y: Term, wins: Any) -> Term:
    """Return the covector where x wins, half of it at a tie."""
    return where(eq(x, y), g / 2, where(wins(x, y), g, 0))


def _chosen_tangent(wins: Callable[[Term, Term], Term], share: float) -> Callable[[Any, Any, Term], Term]:
    """Return torch's forward rule: the second tangent unless x wins; at a tie x has a `share`."""

    def jvp(primals: Terms, tangents: Terms, out: Term) -> Term:
        x, y = primals
        s, t = (zeros_of(out) if v is None else v for v in tangents)
        chosen = where(wins(x, y), s, t)
        return fitted(where(eq(x, y), t + (s - t) * share, chosen) if share else chosen, out)

    return jvp


def _ordered(name: str) -> Callable[..., None]:
    """Return a check that refuses complex values, which have no order."""

    def check(*values: Any) -> None:
        if any(isinstance(v, ndarray) and not is_ordered(v.dtype) for v in values):
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    check.takes = is_ordered  # type: ignore[attr-defined]  # see `Op`
    return check


maximum = elementwise(
    "maximum", np.maximum, lambda g, x, y: _share(g, x, y, _greater_or_nan),
    lambda g, x, y: _share(g, y, x, _greater_or_nan), check=_ordered("maximum"),
    jvp=_chosen_tangent(gt, 0.5), numbers=False, inplace=False, takes=REAL,
    summary="Return the larger of both elements, and nan where one is nan.",
)
minimum = elementwise(
    "minimum", np.minimum, lambda g, x, y: _share(g, x, y, _less_or_nan),
    lambda g, x, y: _share(g, y, x, _less_or_nan), check=_ordered("minimum"),
    jvp=_chosen_tangent(lt, 0.5), numbers=False, inplace=False, takes=REAL,
    summary="Return the smaller of both elements, and nan where one is nan.",
)


def _greater_or_nan(x: Term, y: Term) -> Term:
    return ~lt(x, y)


def _less_or_nan(x: Term, y: Term) -> Term:
    return ~gt(x, y)


def _first_of_equal(function: np.ufunc) -> Callable[..., ndarray]:
    """Return an extreme that of 0 and -0 takes the first; NumPy's takes either."""

    def kernel(x: Any, y: Any, /, out: object = ...) -> ndarray:
        result = function(x, y, out=...)
        if result.dtype.kind == "f":
            np.copyto(result, x, where=np.equal(x, y))
        return into(out, result)

    return kernel


fmax = elementwise(
    "fmax", _first_of_equal(np.fmax),
    lambda g, x, y: where(ge(x, y) | ~eq(y, y), g, 0), lambda g, x, y: where(~(ge(x, y) | ~eq(y, y)), g, 0),
    check=_ordered("fmax"), numbers=False, inplace=False, takes=REAL,
    jvp=_chosen_tangent(lambda x, y: gt(x, y) | ~eq(y, y), 0),
    summary="Return the larger of both elements, and the other where one is nan.",
)
fmin = elementwise(
    "fmin", _first_of_equal(np.fmin),
    lambda g, x, y: where(le(x, y) | ~eq(y, y), g, 0), lambda g, x, y: where(~(le(x, y) | ~eq(y, y)), g, 0),
    check=_ordered("fmin"), numbers=False, inplace=False, takes=REAL,
    summary="Return the smaller of both elements, and the other where one is nan.",
)


def divides_by_zero(x: Any, y: Any) -> bool:
    """Return whether an element is divided by zero; where there are no elements, none is."""
    if type(y) is int:
        return y == 0 and bool(np.size(x))
    return bool(np.size(x) and np.any(np.asarray(y) == 0))


def _native_rest(name: str, x: Any, y: Any, out: Any) -> ndarray | None:
    """Return a rest, or a whole quotient, by a native loop where NumPy would divide one number at a time, or
    None. Numbers are repeated, so that one loop does for all of them.
    """
    if not isinstance(x, ndarray) or x.size < large.SLOW or x.dtype.kind != "f":
        return None
    if type(y) is float or type(y) is int or (type(y) is ndarray and y.size == 1):
        y = np.full(x.shape, y, x.dtype)
    return native(name, (x, y), (), out) if isinstance(y, ndarray) else None


def _dividing(name: str, function: Callable[..., ndarray]) -> Callable[..., ndarray]:
    def kernel(x: Any, y: Any, /, out: object = ...) -> ndarray:
        if (found := _native_rest(name, x, y, out)) is not None:
            return found
        if np.result_type(x, y).kind in "biu" and divides_by_zero(x, y):
            raise RuntimeError("ZeroDivisionError")
        return function(x, y, out=out)

    return kernel


def _signed_remainder(x: Any, y: Any, out: Any) -> ndarray:
    result = np.remainder(x, y, out=...)
    if result.dtype.kind == "f":
        np.copysign(result, x, out=result, where=result == 0)
    return into(out, result)


_remainder_kernel, _fmod_kernel = _dividing("remainder", _signed_remainder), _dividing("fmod", np.fmod)


#: x − y·floor(x / y), the sign of y; of zeros that of x.
remainder = elementwise(
    "remainder", _remainder_kernel, lambda g: g, lambda g, x, y: -g * floor_quotient(x, y),
    node_name="RemainderBackward1", check=refuse("remainder_cpu", "bc"),
)
#: x − y·trunc(x / y), the sign of x.
fmod = elementwise(
    "fmod", _fmod_kernel, lambda g: g, lambda g, x, y: -g * trunc_quotient(x, y), node_name="FmodBackward1",
    check=refuse("fmod_cpu", "bc"),
)


#: The same by a number.
remainder_number = elementwise(
    "remainder_number", lambda x, /, y, out=...: _remainder_kernel(x, y, out), lambda g: g, attrs=("y",),
    promote=None, node_name="RemainderBackward0", check=refuse("remainder_cpu", "bc", inputs=1),
)
#: Of a number by a tensor, which torch cannot differentiate.
remainder_of_number = elementwise(
    "remainder_of_number", lambda y, /, x, out=...: _remainder_kernel(np.asarray(x, y.dtype), y, out),
    inputs=("y",), attrs=("x",), promote=None, underivable="remainder",
    check=refuse("remainder_cpu", "bc", inputs=1),
)
fmod_number = elementwise(
    "fmod_number", lambda x, /, y, out=...: _fmod_kernel(x, y, out), lambda g: g, attrs=("y",),
    promote=None, node_name="FmodBackward0", check=refuse("fmod_cpu", "bc", inputs=1),
)


def _floored(x: Any, y: Any, out: object) -> ndarray:
    with np.errstate(all="ignore"):
        result = np.floor_divide(x, y)
        if result.dtype.kind == "f":
            # Division by zero gives what true division gives, as in torch; NumPy gives nan.
            result = np.where(np.equal(y, 0), np.true_divide(x, y), result).astype(result.dtype)
    return into(out, result)


_floor_quotient = _dividing("div_floor", _floored)

#: floor(x / y).
floor_quotient: Call = elementwise(
    "div_floor", _floor_quotient, lambda g, y: zeros_of(g), lambda g, x, y: zeros_of(g),
    node_name="DivBackward2", check=refuse("div_floor_cpu", "bc"), exact_scalars=True,
)

#: floor(x / y) as `//` and `//=` have it, which torch cannot differentiate.
floor_divide, floor_divide_ = (
    elementwise(
        name, _floor_quotient, underivable=name, check=refuse("div_floor_cpu", "bc"), exact_scalars=True
    )
    for name in ("floor_divide", "floor_divide_")
)


def _trunc_quotient(x: Any, y: Any, /, out: Any = ...) -> ndarray:
    if np.result_type(x, y).kind in "biu":
        if divides_by_zero(x, y):
            raise RuntimeError("ZeroDivisionError")
        quotient = np.floor_divide(x, y)
        return into(
            out, quotient + ((np.remainder(x, y) != 0) & ((np.asarray(x) < 0) != (np.asarray(y) < 0)))
        )
    return np.trunc(np.true_divide(x, y), out=out)


#: trunc(x / y).
trunc_quotient: Call = elementwise(
    "div_trunc", _trunc_quotient, lambda g, y: zeros_of(g), lambda g, x, y: zeros_of(g),
    node_name="DivBackward2", check=refuse("div_trunc_cpu", "bc"), exact_scalars=True,
)


def _over_square(x: Term, y: Term) -> Term:
    """Return 1 / (x² + y²), and 0 at the origin as in torch."""
    square = x * x + y * y
    return where(eq(square, 0), 0, 1 / square)


atan2 = elementwise(
    "atan2", np.arctan2,
    lambda g, x, y: g * y * _over_square(x, y), lambda g, x, y: g * -x * _over_square(x, y), promote="float",
    check=refuse("atan2_cpu", "c"), numbers=False, names=("atan2", "arctan2"),
    summary="Return the angle in (−π, π] of the point with height `input` and width `other`.",
)
hypot = elementwise(
    "hypot", np.hypot, lambda g, x, out: g * x / out, lambda g, y, out: g * y / out, promote="float",
    check=refuse("hypot_cpu", "biuc"), signatures=TWO, takes=FLOATING,
    summary="Return √(input² + other²), without overflow on the way.",
)
copysign = elementwise(
    "copysign", np.copysign, lambda g, x, out: g * where(eq(x, 0), 0, out / x), lambda g: zeros_of(g),
    promote="float", check=refuse("copysign_cpu", "c"), saves=("out",),
)


def _logaddexp(x: Any, y: Any, /, out: Any = ...) -> ndarray:
    if isinstance(x, ndarray) and x.size >= large.SLOW:
        found = native("logaddexp", (x, y), (), out)
        if found is not None:
            return found
    if np.result_type(x, y).kind != "c":
        return np.logaddexp(x, y, out=out)
    # From the operand with the larger real part, so that nothing overflows.
    first = np.real(x) >= np.real(y)
    high, low = np.where(first, x, y), np.where(first, y, x)
    return into(out, high + np.log1p(np.exp(low - high)))


logaddexp = elementwise(
    "logaddexp", _logaddexp, lambda g, x, y: g / conj(1 + exp(y - x)),
    lambda g, x, y: g / conj(1 + exp(x - y)), promote="float",
    check=refuse("logaddexp_cpu", "biu"), signatures=TWO, inplace=False, takes="Floating or complex.",
    summary="Return log(eˣ + eʸ), without overflow on the way.",
)
logaddexp2 = elementwise(
    "logaddexp2", np.logaddexp2, lambda g, x, y: g / (1 + _two_to(y - x)),
    lambda g, x, y: g / (1 + _two_to(x - y)), promote="float",
    check=refuse("logaddexp2_cpu", "biuc"), signatures=TWO, inplace=False, takes=FLOATING,
    summary="Return log₂(2ˣ + 2ʸ), without overflow on the way.",
)


def _two_to(x: Term) -> Term:
    return exp(x * math.log(2))


def _masked_fill(x: ndarray, y: ndarray, /, value: object, out: object = ...) -> ndarray:
    filling = np.array(value, x.dtype) if type(value) is float else np.asarray(value).astype(x.dtype)
    return into(out, chosen(y, filling, x))


#: x with `value` where the mask y holds.
masked_fill = elementwise(
    "masked_fill", _masked_fill, lambda g, y: where(y, 0, g), None, attrs=("value",), promote=None,
    halves=False, place=in_order,
)


#: The same with a value that is a tensor without dimensions.
masked_fill_tensor = elementwise(
    "masked_fill_tensor",
    lambda x, y, z, /, out=...: into(out, chosen(y, z.astype(x.dtype, copy=False), x)),
    lambda g, y: where(y, 0, g),
    None,
    lambda g, y: where(y, g, 0),
    promote=None, halves=False, place=in_order, node_name="MaskedFillBackward1",
)
