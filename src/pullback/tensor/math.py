"""Elementwise mathematics under torch's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes, errors
from ..core.value import TensorBase, dtype_of, shape_of
from ..graph_errors import type_word
from ..ops import arithmetic as a
from ..ops import bessel as b
from ..ops import comparison as c
from ..ops import elementwise as e
from ..ops import gamma as g
from ..ops import mixture as m
from ..ops import special as s
from ..ops.complex import imag_view
from ..ops.convert import cast
from .api import public, public_op

for _call in (
    e.exp, e.exp2, e.expm1, e.log, e.log2, e.log10, e.log1p, e.sqrt, e.sin, e.cos, e.tan, e.sinh, e.cosh,
    e.sigmoid, e.sign, e.sgn, e.floor, e.ceil, e.frac, e.relu, e.tanh, a.reciprocal, a.rsqrt, s.erf, s.erfc,
    s.erfinv, s.sinc, g.lgamma, g.digamma, b.i0,
):  # fmt: skip
    public_op(_call)
for _call, _alias in (
    (e.asin, "arcsin"), (e.acos, "arccos"), (e.atan, "arctan"), (e.asinh, "arcsinh"), (e.acosh, "arccosh"),
    (e.atanh, "arctanh"), (e.trunc, "fix"), (e.abs, "absolute"), (a.neg, "negative"), (c.lt, "less"),
    (c.le, "less_equal"), (c.gt, "greater"), (c.ge, "greater_equal"), (c.ne, "not_equal"),
    (a.mul, "multiply"), (m.atan2, "arctan2"),
):  # fmt: skip
    public_op(_call, aliases=(_alias,))
for _call in (
    c.eq, c.logical_and, c.logical_or, c.logical_xor, c.logical_not, c.bitwise_and, c.bitwise_or,
    c.bitwise_xor, c.bitwise_not, c.bitwise_left_shift, c.bitwise_right_shift,
):  # fmt: skip
    public_op(_call)
for _call in (
    c.isnan, c.isfinite, c.isinf, c.signbit, m.maximum, m.minimum, m.fmax, m.fmin, m.angle,
):  # fmt: skip
    public_op(_call, inplace=False)


def number(value: Any) -> Any:
    """A scalar argument as a Python number."""
    return value.item() if isinstance(value, (TensorBase, np.generic)) else value  # type: ignore[union-attr]  # the facade has it


def _check_alpha(alpha: Any, *operands: Any) -> None:
    kinds = [dtype_of(v).kind for v in operands if isinstance(v, (TensorBase, bool, int, float, complex))]
    if isinstance(alpha, bool) and any(k != "b" for k in kinds):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and all(k in "biu" for k in kinds):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and all(k != "c" for k in kinds):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def _scaled_sum_parts(other: Any, *, alpha: Any = 1, out: Any = None) -> Any:
    return (
        (m.add_scaled.op, (other,), (alpha,))
        if isinstance(alpha, (int, float)) and out is None
        else (None, (), ())
    )


@public(inplace=_scaled_sum_parts)
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Sum ``input + alpha * other``; shapes broadcast."""
    if type(alpha) is int and alpha == 1:
        return a.add.op.public(input, other)
    alpha = number(alpha)
    _check_alpha(alpha, input, other)
    return m.add_scaled(input, other, alpha)


def _scaled_difference_parts(other: Any, *, alpha: Any = 1, out: Any = None) -> Any:
    return (
        (m.add_scaled.op, (other,), (-alpha,))
        if isinstance(alpha, (int, float)) and out is None
        else (None, (), ())
    )


@public(inplace=_scaled_difference_parts, aliases=("subtract",))
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Difference ``input - alpha * other``; shapes broadcast."""
    if type(alpha) is int and alpha == 1:
        return a.sub.op.public(input, other)
    alpha = number(alpha)
    _check_alpha(alpha, input, other)
    return a.sub.op.public(input, a.mul(other, alpha) if isinstance(other, TensorBase) else other * alpha)


@public
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Difference ``other - alpha * input``."""
    return (
        sub(other, input, alpha=alpha)
        if isinstance(other, TensorBase)
        else a.rsub(a.mul(input, number(alpha)), other)
    )


@public(inplace=True, name="div", aliases=("divide",))
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Quotient, true (None), towards zero ("trunc") or downwards ("floor")."""
    if rounding_mode is None:
        return a.div.op.public(input, other)
    if rounding_mode == "floor":
        return m.floor_quotient(input, other)
    if rounding_mode == "trunc":
        return m.trunc_quotient(input, other)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
    )


@public(inplace=True)
def true_divide(input: Any, other: Any) -> Any:
    """True quotient."""
    return a.div.op.public(input, other)


@public(inplace=True)
def floor_divide(input: Any, other: Any) -> Any:
    """floor(input / other)."""
    return m.floor_quotient(input, other)


@public(inplace=True)
def remainder(input: Any, other: Any) -> Any:
    """``input - other * floor(input / other)``: the sign of `other`."""
    return m.remainder(input, other)


@public(inplace=True)
def fmod(input: Any, other: Any) -> Any:
    """``input - other * trunc(input / other)``: the sign of `input`."""
    return m.fmod(input, other)


@public(inplace=True, name="pow")
def power(input: Any, exponent: Any) -> Any:
    """Power ``input ** exponent`` of tensors or numbers, at least one of them a tensor."""
    if isinstance(exponent, TensorBase):
        if isinstance(input, TensorBase):
            if dtype_of(input).kind in "iu" and dtype_of(exponent).kind in "iu" and _any_negative(exponent):
                raise RuntimeError("Integers to negative integer powers are not allowed.")
            return a.pow(input, exponent)
        return a.scalar_pow(exponent, number(input))
    if not isinstance(exponent, (bool, int, float, complex, np.generic)):
        raise errors.invalid_combination(
            "pow", (exponent,), {},
            {
                "(Tensor exponent)": [("exponent", _is_tensor)],
                "(Number exponent)": [("exponent", _is_number)],
            },
        )  # fmt: skip
    if not isinstance(input, TensorBase):
        raise errors.argument_type("pow", "input", 1, "Tensor", input)
    exponent = number(exponent)
    if dtype_of(input).kind in "iu" and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return a.pow_scalar(input, exponent)


def _any_negative(x: Any) -> bool:
    return bool(np.any(x._value < 0)) if isinstance(x._value, np.ndarray) else False


def _is_tensor(v: object) -> bool:
    return isinstance(v, TensorBase)


def _is_number(v: object) -> bool:
    return isinstance(v, (bool, int, float, complex))


@public(inplace=True)
def square(input: Any) -> Any:
    """Square ``input ** 2``."""
    return a.pow_scalar(input, 2)


@public
def positive(input: Any) -> Any:
    """The input itself."""
    if dtype_of(input).kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@public(inplace=True, aliases=("clip",))
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """The input cut to [min, max]; limits are numbers or tensors, and one may be None."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        if min is None:
            return m.clamp_max(input, max)
        return m.clamp_min(input, min) if max is None else m.clamp_both(input, min, max)
    if dtype_of(input).kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    common = dtypes.result_numpy_dtype([_stand_in(input), *(v for v in (min, max) if v is not None)])
    return m.clamp(input if common == dtype_of(input) else cast(input, common), min, max)


def _stand_in(x: Any) -> np.ndarray:
    """An empty array with a tensor's dtype and whether it has axes, for promotion."""
    return np.empty((0,) if shape_of(x) else (), dtype_of(x))


@public(inplace=True)
def clamp_min(input: Any, min: Any) -> Any:
    """The input cut from below."""
    return clamp(input, min=min)


@public(inplace=True)
def clamp_max(input: Any, max: Any) -> Any:
    """The input cut from above."""
    return clamp(input, max=max)


def _lerp_parts(end: Any, weight: Any) -> Any:
    return (m.lerp.op, (end,), (weight,)) if isinstance(weight, (int, float)) else (None, (), ())


@public(inplace=_lerp_parts)
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """``input + weight * (end - input)``."""
    if dtype_of(input).kind in "biu":
        raise NotImplementedError(
            f"\"lerp_kernel_scalar\" not implemented for '{type_word(dtype_of(input))}'"
        )
    if dtype_of(input) != dtype_of(end):
        raise RuntimeError(f"expected dtype {_lower(input)} for `end` but got dtype {_lower(end)}")
    return (
        m.lerp_tensor(input, end, weight)
        if isinstance(weight, TensorBase)
        else m.lerp(input, end, number(weight))
    )


def _lower(x: Any) -> str:
    return {"float32": "float", "float64": "double"}.get(str(dtype_of(x)), str(dtype_of(x)))


def _product_parts(op: Any) -> Any:
    def parts(first: Any, second: Any, *, value: Any = 1) -> Any:
        return (op, (first, second), (value,)) if isinstance(value, (int, float)) else (None, (), ())

    return parts


@public(inplace=_product_parts(m.addcmul.op))
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 * tensor2``."""
    return m.addcmul(input, tensor1, tensor2, number(value))


@public(inplace=_product_parts(m.addcdiv.op))
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """``input + value * tensor1 / tensor2``."""
    if dtype_of(tensor1).kind in "biu" and dtype_of(tensor2).kind in "biu":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
            "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
            "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
            "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior "
            "is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
        )
    return m.addcdiv(input, tensor1, tensor2, number(value))


@public(inplace=True)
def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """The input with `value` where `mask` holds."""
    if dtype_of(mask).kind != "b":
        word = {"int64": "long int", "uint8": "unsigned char", "float32": "float"}.get(
            str(dtype_of(mask)), str(dtype_of(mask))
        )
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {word}")
    if isinstance(value, TensorBase):
        rank = len(shape_of(value))
        if rank:
            raise RuntimeError(
                f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {rank} "
                "dimension(s)."
            )
        return m.masked_fill_tensor(input, mask, cast(value, dtype_of(input)))
    return m.masked_fill(input, mask, value)


@public(inplace=True)
def nan_to_num(
    input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """The input with nan and infinities replaced (by 0 and the largest finite numbers unless given)."""
    if dtype_of(input).kind in "biu":
        return e.nan_to_num(input, 0.0, None, None)
    return e.nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


@public
def isposinf(input: Any) -> Any:
    """Where the input is +inf."""
    return c.isinf(input) & c.gt(input, 0)


@public
def isneginf(input: Any) -> Any:
    """Where the input is −inf."""
    return c.isinf(input) & c.lt(input, 0)


@public(out=False)
def isreal(input: Any) -> Any:
    """Where the imaginary part is 0."""
    return c.eq(imag_view(input), 0) if dtype_of(input).kind == "c" else c.eq(input, input)


@public(inplace=True)
def deg2rad(input: Any) -> Any:
    """Degrees in radians."""
    return e.deg2rad(input)


@public(inplace=True)
def rad2deg(input: Any) -> Any:
    """Radians in degrees."""
    return e.rad2deg(input)


@public(method=False, out=False)
def detach(input: Any) -> Any:
    """The same storage without history."""
    return input.detach()
