"""Scalar forms of elementwise ops: what one element of the result is.

A form gets the handler, its operands in the dtype in which torch computes, and the op's attributes. It must
give what the op's array kernel gives, up to the order of roundings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..emit.emitter import is_float

Form = Callable[..., Any]

#: By op name.
FORMS: dict[str, Form] = {}


def form(*names: str) -> Callable[[Form], Form]:
    """Register a form under the names of ops."""

    def register(function: Form) -> Form:
        for name in names:
            FORMS[name] = function
        return function

    return register


def _one(ops: Any, x: Any) -> Any:
    return ops.constant(1, x.dtype)


def _zero(ops: Any, x: Any) -> Any:
    return ops.constant(0, x.dtype)


for _name, _word in {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "eq": "eq", "ne": "ne", "lt": "lt", "le": "le",
    "gt": "gt", "ge": "ge", "maximum": "maximum", "minimum": "minimum", "bitwise_and": "and_",
    "bitwise_or": "or_", "bitwise_xor": "xor", "copysign": "copysign",
    "clamp_min": "maximum", "clamp_max": "minimum",
}.items():  # fmt: skip
    FORMS[_name] = lambda ops, x, y, word=_word: getattr(ops, word)(x, y)

for _name in ("neg", "abs", "sqrt", "floor", "ceil", "trunc"):
    FORMS[_name] = lambda ops, x, word=_name: getattr(ops, word)(x)
FORMS["round"] = lambda ops, x: ops.rint(x)
FORMS["bitwise_not"] = lambda ops, x: ops.not_(x)

for _name in (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc",
):  # fmt: skip
    FORMS[_name] = lambda ops, x, word=_name: ops.function(word, x)
for _name in ("atan2", "hypot"):
    FORMS[_name] = lambda ops, x, y, word=_name: ops.function(word, x, y)


@form("rsub")
def _rsub(ops: Any, x: Any, y: Any) -> Any:
    return ops.sub(y, x)


@form("mul_number")
def _mul_number(ops: Any, x: Any, other: Any) -> Any:
    return ops.mul(x, ops.constant(other, x.dtype))


@form("div_number")
def _div_number(ops: Any, x: Any, other: Any) -> Any:
    return ops.div(x, ops.constant(other, x.dtype))


@form("reciprocal")
def _reciprocal(ops: Any, x: Any) -> Any:
    return ops.div(_one(ops, x), x)


@form("rsqrt")
def _rsqrt(ops: Any, x: Any) -> Any:
    return ops.div(_one(ops, x), ops.sqrt(x))


@form("sigmoid")
def _sigmoid(ops: Any, x: Any) -> Any:
    return ops.div(_one(ops, x), ops.add(_one(ops, x), ops.function("exp", ops.neg(x))))


@form("relu")
def _relu(ops: Any, x: Any) -> Any:
    return ops.maximum(_zero(ops, x), x)


@form("where")
def _where(ops: Any, condition: Any, x: Any, y: Any) -> Any:
    return ops.select(condition, x, y)


@form("zeros_of")
def _zeros_of(ops: Any, x: Any) -> Any:
    return _zero(ops, x)


@form("isnan")
def _isnan(ops: Any, x: Any) -> Any:
    return ops.ne(x, x)


@form("logical_not")
def _logical_not(ops: Any, x: Any) -> Any:
    return ops.eq(x, _zero(ops, x))


def _truth(ops: Any, x: Any) -> Any:
    return ops.ne(x, _zero(ops, x))


@form("logical_and")
def _logical_and(ops: Any, x: Any, y: Any) -> Any:
    return ops.and_(_truth(ops, x), _truth(ops, y))


@form("logical_or")
def _logical_or(ops: Any, x: Any, y: Any) -> Any:
    return ops.or_(_truth(ops, x), _truth(ops, y))


@form("logical_xor")
def _logical_xor(ops: Any, x: Any, y: Any) -> Any:
    return ops.xor(_truth(ops, x), _truth(ops, y))


@form("add_scaled")
def _add_scaled(ops: Any, x: Any, y: Any, alpha: Any) -> Any:
    return ops.add(x, ops.mul(y, ops.constant(alpha, x.dtype)))


@form("addcmul")
def _addcmul(ops: Any, x: Any, y: Any, z: Any, value: Any) -> Any:
    return ops.add(x, ops.mul(ops.mul(ops.constant(value, x.dtype), y), z))


@form("addcdiv")
def _addcdiv(ops: Any, x: Any, y: Any, z: Any, value: Any) -> Any:
    return ops.add(x, ops.div(ops.mul(ops.constant(value, x.dtype), y), z))


@form("lerp")
def _lerp(ops: Any, x: Any, y: Any, weight: Any) -> Any:
    if abs(weight) < 0.5:
        return ops.add(x, ops.mul(ops.constant(weight, x.dtype), ops.sub(y, x)))
    return ops.sub(y, ops.mul(ops.sub(y, x), ops.constant(1 - weight, x.dtype)))


@form("binary_cross_entropy_slope")
def _binary_cross_entropy_slope(ops: Any, x: Any, y: Any) -> Any:
    product = ops.mul(ops.sub(_one(ops, x), x), x)
    least = ops.constant(1e-12, x.dtype)
    return ops.div(ops.sub(x, y), ops.select(ops.lt(product, least), least, product))


@form("lerp_tensor")
def _lerp_tensor(ops: Any, x: Any, y: Any, weight: Any) -> Any:
    change = ops.sub(y, x)
    near = ops.lt(ops.abs(weight), ops.constant(0.5, x.dtype))
    far = ops.sub(y, ops.mul(change, ops.sub(_one(ops, x), weight)))
    return ops.select(near, ops.add(x, ops.mul(weight, change)), far)


@form("clamp")
def _clamp(ops: Any, x: Any, low: Any, high: Any) -> Any:
    # Of 0 and -0 the element stays.
    if low is not None:
        x = ops.maximum(ops.constant(low, x.dtype), x)
    return x if high is None else ops.minimum(ops.constant(high, x.dtype), x)


@form("hardtanh")
def _hardtanh(ops: Any, x: Any, low: Any, high: Any) -> Any:
    return _clamp(ops, x, low, high)


@form("clamp_both")
def _clamp_both(ops: Any, x: Any, low: Any, high: Any) -> Any:
    return ops.minimum(ops.maximum(x, low), high)


@form("fmax")
def _fmax(ops: Any, x: Any, y: Any) -> Any:
    larger = ops.select(ops.lt(x, y), y, x)
    return ops.select(ops.ne(x, x), y, larger) if is_float(x.dtype) else larger


@form("fmin")
def _fmin(ops: Any, x: Any, y: Any) -> Any:
    smaller = ops.select(ops.gt(x, y), y, x)
    return ops.select(ops.ne(x, x), y, smaller) if is_float(x.dtype) else smaller


@form("masked_fill")
def _masked_fill(ops: Any, x: Any, mask: Any, value: Any) -> Any:
    return ops.select(mask, ops.constant(value, x.dtype), x)


@form("masked_fill_tensor")
def _masked_fill_tensor(ops: Any, x: Any, mask: Any, value: Any) -> Any:
    return ops.select(mask, value, x)


@form("sign", "sgn")
def _sign(ops: Any, x: Any) -> Any:
    zero = _zero(ops, x)  # of -0 and of nan, too
    above = ops.select(ops.gt(x, zero), _one(ops, x), zero)
    return ops.select(ops.lt(x, zero), ops.constant(-1, x.dtype), above)


@form("leaky_relu")
def _leaky_relu(ops: Any, x: Any, negative_slope: Any) -> Any:
    return ops.select(ops.gt(x, _zero(ops, x)), x, ops.mul(x, ops.constant(negative_slope, x.dtype)))


@form("threshold")
def _threshold(ops: Any, x: Any, threshold: Any, value: Any) -> Any:
    return ops.select(ops.le(x, ops.constant(threshold, x.dtype)), ops.constant(value, x.dtype), x)


@form("silu")
def _silu(ops: Any, x: Any) -> Any:
    return ops.div(x, ops.add(_one(ops, x), ops.function("exp", ops.neg(x))))


@form("silu_slope")
def _silu_slope(ops: Any, x: Any) -> Any:
    s = _sigmoid(ops, x)
    return ops.mul(s, ops.add(_one(ops, x), ops.mul(x, ops.sub(_one(ops, x), s))))


@form("softplus")
def _softplus(ops: Any, x: Any, beta: Any, threshold: Any) -> Any:
    scaled = ops.mul(x, ops.constant(beta, x.dtype))
    curved = ops.div(ops.function("log1p", ops.function("exp", scaled)), ops.constant(beta, x.dtype))
    return ops.select(ops.gt(scaled, ops.constant(threshold, x.dtype)), x, curved)


@form("log_sigmoid")
def _log_sigmoid(ops: Any, x: Any) -> Any:
    below = ops.minimum(x, _zero(ops, x))
    return ops.sub(below, ops.function("log1p", ops.function("exp", ops.neg(ops.abs(x)))))


@form("elu")
def _elu(ops: Any, x: Any, alpha: Any, scale: Any, input_scale: Any) -> Any:
    inner = ops.function("expm1", ops.mul(x, ops.constant(input_scale, x.dtype)))
    below = ops.mul(inner, ops.constant(alpha * scale, x.dtype))
    return ops.select(
        ops.gt(x, _zero(ops, x)), ops.mul(x, ops.constant(scale, x.dtype)), below
    )


_ROOT_2_OVER_PI = math.sqrt(2 / math.pi)


def _tanh_argument(ops: Any, x: Any) -> Any:
    cube = ops.mul(ops.mul(x, x), x)
    inner = ops.add(x, ops.mul(ops.constant(0.044715, x.dtype), cube))
    return ops.mul(ops.constant(_ROOT_2_OVER_PI, x.dtype), inner)


@form("gelu")
def _gelu(ops: Any, x: Any, approximate: str) -> Any:
    half = ops.mul(ops.constant(0.5, x.dtype), x)
    if approximate == "tanh":
        return ops.mul(half, ops.add(_one(ops, x), ops.function("tanh", _tanh_argument(ops, x))))
    return ops.mul(
        half,
        ops.add(_one(ops, x), ops.function("erf", ops.mul(x, ops.constant(math.sqrt(0.5), x.dtype)))),
    )


@form("gelu_slope")
def _gelu_slope(ops: Any, x: Any, approximate: str) -> Any:
    one, half = _one(ops, x), ops.constant(0.5, x.dtype)
    if approximate == "tanh":
        t = ops.function("tanh", _tanh_argument(ops, x))
        square = ops.mul(ops.constant(3 * 0.044715, x.dtype), ops.mul(x, x))
        inner = ops.mul(ops.constant(_ROOT_2_OVER_PI, x.dtype), ops.add(one, square))
        left = ops.mul(half, ops.add(one, t))
        right = ops.mul(ops.mul(ops.mul(half, x), ops.sub(one, ops.mul(t, t))), inner)
        return ops.add(left, right)
    spread = ops.function("erf", ops.mul(x, ops.constant(math.sqrt(0.5), x.dtype)))
    cumulative = ops.mul(half, ops.add(one, spread))
    density = ops.mul(
        ops.function("exp", ops.mul(ops.constant(-0.5, x.dtype), ops.mul(x, x))),
        ops.constant(1 / math.sqrt(2 * math.pi), x.dtype),
    )
    return ops.add(cumulative, ops.mul(x, density))


@form("pow")
def _power(ops: Any, x: Any, y: Any) -> Any:
    return ops.function("pow", x, y)


@form("scalar_pow")
def _scalar_pow(ops: Any, x: Any, base: Any) -> Any:
    return ops.function("pow", ops.constant(base, x.dtype), x)


@form("pow_scalar")
def _pow_scalar(ops: Any, x: Any, exponent: Any) -> Any:
    if exponent == 2:
        return ops.mul(x, x)
    if exponent == 1:
        return x
    if exponent == 3:
        return ops.mul(ops.mul(x, x), x)
    if exponent == 0.5:
        return ops.sqrt(x)
    if exponent == -1:
        return _reciprocal(ops, x)
    if exponent == -2:
        return _reciprocal(ops, ops.mul(x, x))
    if exponent == -0.5:
        return _rsqrt(ops, x)
    return ops.function("pow", x, ops.constant(exponent, x.dtype))
