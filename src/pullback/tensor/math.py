"""Elementwise mathematics under torch's names."""

import math
from typing import Any

import numpy as np

from .. import errors
from ..array import dtypes
from ..array.dtype_words import not_a_mask, sized_name
from ..core.batched import Batched
from ..core.promotion import HALVES, NARROW, check_broadcast, unsupported
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..ops import arithmetic as a
from ..ops import comparison as c
from ..ops import mixture as m
from ..ops.complex import imag_view
from ..ops.convert import cast
from ..ops.index import fill
from ..ops.kernel_words import RARE
from ..ops.signatures import ONE, TENSOR_OR_NUMBER, TWO
from .api import public
from .argument_types import as_number, is_number
from .data import overflow, scalar_array
from .inplace_variants import InPlace
from .operands import declare
from .out import write_out
from .properties import common_dtype
from .signature import Parser
from .sizes import NOT_GIVEN, tensor
from .tensor import Tensor

#: Up to here every floating dtype of NumPy's holds numbers.
_HELD = 6e4


def number(value: Any) -> Any:
    """Return a scalar argument as a Python number."""
    dtypes.check_number(value)
    return as_number(value)


def met(input: Any, value: Any) -> tuple[Any, Any]:
    """Return a tensor and a number in their common dtype: integers go around, halves are rounded."""
    if type(value) is int and 0 <= value < 128 and dtype_of(input).kind in "iu":
        return input, value
    x, value = widened(input, value), number(value)
    if (dtype := dtype_of(x)).kind in "iu" and isinstance(value, int):
        return x, int(np.asarray(value).astype(dtype))
    return x, float(np.asarray(value, dtype)) if dtype in HALVES else value


def factor(value: Any, *operands: Any, exact: bool = True) -> Any:
    """Return a factor of a term, which the dtype in which the operands meet has to hold; of halves float32
    has to, where they are computed in it exactly.
    """
    value = number(value)
    if (type(value) is int and 0 <= value < 128) or (type(value) is float and -_HELD < value < _HELD):
        return value
    if (common := common_dtype(*operands)).kind in "iu":
        held = int(scalar_array(value, common))
        return held if type(value) is int else value
    if type(value) is complex and common.kind not in "cW":
        raise overflow("double" if common == np.float64 else "float")
    if common.kind != "b":
        scalar_array(value, NARROW.get(common, common) if exact else common)
    return value


def widened(input: Any, *numbers: Any) -> Any:
    """Return a tensor in the dtype in which it meets numbers."""
    if (kind := dtype_of(input).kind) in "fV" and not any(isinstance(v, complex) for v in numbers):
        return input
    if kind in "iu" and all(v is None or type(v) is int for v in numbers):
        return input
    stand_in = np.empty((0,) if shape_of(input) else (), dtype_of(input))
    common = dtypes.result_numpy_dtype([stand_in, *(v for v in numbers if v is not None)])
    return input if common == dtype_of(input) else cast(input, common)


def as_tensor_first(input: Any, other: Any) -> Any:
    """Return the first of two operands, as a tensor where both are numbers: an op would return an array."""
    if isinstance(input, Tensor) or isinstance(other, Tensor):
        return input
    return wrap(np.asarray(input, dtypes.result_numpy_dtype([input])))


def _check_alpha(function: str, alpha: Any, *operands: Any) -> None:
    if not is_number(alpha):
        raise errors.argument_type(function, "alpha", None, "Number", alpha)
    kinds = [dtype_of(v).kind for v in operands if isinstance(v, (Tensor, bool, int, float, complex))]
    if isinstance(alpha, bool) and any(k != "b" for k in kinds):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, complex)) and all(k in "biu" for k in kinds):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and all(k != "c" for k in kinds):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def _scaled_parts(plain: Any, scaled: Any, sign: int) -> Any:
    """Return the parts of a sum in place: without a factor one pass, not three (55 µs → 6 for 100,000)."""

    def parts(other: Any, *, alpha: Any = 1, out: Any = None) -> Any:
        if not isinstance(alpha, (int, float)) or isinstance(alpha, bool) or out is not None:
            return None, (), ()
        if not -_HELD < alpha < _HELD:
            return None, (), ()  # looked at by `factor`
        return (plain.op, (other,), ()) if alpha == 1 else (scaled.op, (other,), (sign * alpha,))

    return parts


@public(inplace=InPlace(_scaled_parts(a.add, m.add_scaled, 1), older=True))
def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Sum ``input + alpha·other``.

    Parameters
    ----------
    input, other : Tensor or number
        Shapes broadcast.
    alpha : number
    """
    if type(alpha) is int and alpha == 1:
        return a.add.op.public(input, other)
    _check_alpha("add", alpha, input, other)
    return m.add_scaled(as_tensor_first(input, other), other, factor(alpha, input, other, exact=False))


def refuse_bools(input: Any, other: Any) -> None:
    """Raise torch's error where a bool would be subtracted, or subtracted from."""
    a.no_bools(*(np.empty(0, dtype_of(v)) if isinstance(v, TensorBase) else v for v in (input, other)))


@public(inplace=InPlace(_scaled_parts(a.sub, m.sub_scaled, -1), older=True), aliases=("subtract",))
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return the difference ``input − alpha·other``.

    Parameters
    ----------
    input, other : Tensor or number
        Not bool; shapes broadcast.
    alpha : number
    """
    if type(alpha) is int and alpha == 1:
        return a.sub.op.public(input, other)
    refuse_bools(input, other)
    _check_alpha("sub", alpha, input, other)
    scale = factor(-number(alpha), input, other, exact=False)
    return m.sub_scaled(as_tensor_first(input, other), other, scale)


def rsub(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    """Return the difference ``other − alpha·input``.

    Parameters
    ----------
    input : Tensor
    other : Tensor or number
        Shapes broadcast.
    alpha : number
    """
    alike = type(input) is type(other) is Tensor and shape_of(input) == shape_of(other)
    if alike and dtype_of(input) == dtype_of(other) and type(alpha) is int and alpha == 1:
        return a.rsub_tensor(input, other)
    _check_alpha("rsub", alpha, input, other)
    alpha = factor(alpha, input, other, exact=False)
    scaled = input if type(alpha) is int and alpha == 1 else a.mul(input, alpha)
    if isinstance(other, Tensor):
        check_broadcast((other, scaled))
        common_dtype(other, scaled)
        return a.rsub_tensor(scaled, other)
    return a.rsub(scaled, other)


declare(
    "rsub", rsub, "(Tensor input, Tensor other, *, Number alpha = 1)",
    "(Tensor input, Number other, Number alpha = 1)", method=False,
)


_DIV = Parser("div")


@public(inplace=True, name="div", aliases=("divide",))
def div(input: Any, other: Any, *, rounding_mode: str | None = NOT_GIVEN) -> Tensor:
    """Return the quotient ``input/other``.

    Parameters
    ----------
    input, other : Tensor or number
        Shapes broadcast.
    rounding_mode : {None, 'trunc', 'floor'}
        The true quotient, of integers in the default dtype; or cut towards 0; or downwards.
    """
    if rounding_mode is NOT_GIVEN:
        return a.div.op.public(input, other)
    if rounding_mode is not None and not isinstance(rounding_mode, str):
        raise _DIV.rejected((input, other), {"rounding_mode": rounding_mode})
    input = as_tensor_first(input, other)
    if rounding_mode is None:
        return a.div_with_mode(input, other)
    if rounding_mode == "floor":
        return m.floor_quotient(input, other)
    if rounding_mode == "trunc":
        return m.trunc_quotient(input, other)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
    )


@public(inplace=True)
def true_divide(input: Any, other: Any) -> Any:
    """Return True quotient ``input/other``: `div` without a rounding mode."""
    return a.div.op.public(input, other)


def _floor_divide(input: Any, other: Any) -> Tensor:
    """Return the quotient downwards, ⌊input/other⌋.

    Parameters
    ----------
    input, other : Tensor or number
        Shapes broadcast.
    """
    return m.floor_divide(as_tensor_first(input, other), other)


floor_divide = declare(
    "floor_divide", _floor_divide, *TWO, "(Tensor input, Number other)", numbers=("other",),
    numbers_first=True, inplace=InPlace(written=m.floor_divide_),
)


def remainder_of(input: Any, other: Any) -> Tensor:
    """Return the remainder ``input − other·⌊input/other⌋``, of the sign of `other`.

    Parameters
    ----------
    input, other : Tensor or number
        At least one of them a tensor; shapes broadcast.
    """
    if not isinstance(input, Tensor):
        return m.remainder_of_number(*met(other, input))
    return m.remainder(input, other) if isinstance(other, Tensor) else m.remainder_number(*met(input, other))


def fmod(input: Any, other: Any) -> Tensor:
    """Return the remainder ``input − other·trunc(input/other)``, of the sign of `input`.

    Parameters
    ----------
    input : Tensor
    other : Tensor or number
        Shapes broadcast.
    """
    return m.fmod(input, other) if isinstance(other, Tensor) else m.fmod_number(*met(input, other))


remainder = declare(
    "remainder", remainder_of, *TWO, "(Number self, Tensor other)",
    "(Tensor input, Number other, *, Tensor out = None)", numbers=("other",),
)
declare("fmod", fmod, *TENSOR_OR_NUMBER, numbers=("other",))


def power_of(input: Any, exponent: Any) -> Tensor:
    """Return the power ``input ** exponent``.

    Parameters
    ----------
    input, exponent : Tensor or number
        At least one of them a tensor; shapes broadcast. Of integers to negative powers the fraction is cut,
        but for a number as exponent, which torch refuses.
    """
    if isinstance(exponent, Tensor):
        if not isinstance(input, Tensor):
            if type(input) is bool and dtype_of(exponent).kind == "b":
                raise unsupported("pow", (), dtype_of(exponent))
            half = dtype_of(exponent) in HALVES
            if type(input) is complex and dtype_of(exponent) == dtypes.float16.numpy:
                raise unsupported("pow", (), dtypes.COMPLEX32)
            return a.scalar_pow(exponent, met(exponent, input)[1] if half else number(input))
        whole = dtype_of(input).kind in "biu" and dtype_of(exponent).kind in "biu"
        return (a.integer_pow if whole and _any_negative(exponent) else a.pow)(input, exponent)
    if not isinstance(input, Tensor) or not isinstance(exponent, (bool, int, float, complex, np.generic)):
        raise _POWER.rejected((input, exponent), {})
    exponent = number(exponent)
    kind = dtype_of(input).kind
    if exponent in (0, 1) and dtype_of(input) in RARE:
        return input.clone() if exponent else fill(input.clone(), 1)
    if isinstance(exponent, bool):
        result = a.pow_scalar(widened(input, 1), int(exponent))
        return cast(result, dtype_of(input)) if kind == "b" else result
    if kind in "biu" and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if kind in "iu" and isinstance(exponent, int) and exponent > np.iinfo(dtype_of(input)).max:
        too_long = exponent > np.iinfo(np.int64).max
        raise overflow("int64_t" if too_long else sized_name(dtype_of(input)))
    if dtype_of(input) in HALVES and type(exponent) is not complex:
        exponent = float(scalar_array(exponent, dtype_of(input)))
    return a.pow_scalar(widened(input, exponent), exponent)


def _any_negative(x: Any) -> bool:
    if type(value := x._value) is Batched:
        return _any_negative(value.value)
    return bool(np.any(value < 0)) if isinstance(value, np.ndarray) else False


_POWER_SIGNATURES = (
    "(Tensor input, Tensor exponent, *, Tensor out = None)",
    "(Number self, Tensor exponent, *, Tensor out = None)",
    "(Tensor input, Number exponent, *, Tensor out = None)",
)
_POWER = Parser("pow")
power = declare("pow", power_of, *_POWER_SIGNATURES, numbers=("exponent",))


@public(inplace=True)
def square(input: Any) -> Tensor:
    """Return the square ``input²``, of bool in int64.

    Parameters
    ----------
    input : Tensor
    """
    if type(input) is Tensor and dtype_of(input).kind == "f":
        return a.pow_scalar(input, 2)
    return power(input, 2)


@public
def positive(input: Any) -> Any:
    """Return the input itself."""
    tensor("positive", "input", input)
    if dtype_of(input).kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input



def _filled(input: Any, mask: Any, value: Any) -> Any:
    if not isinstance(mask, TensorBase):
        raise TypeError("the mask is no tensor")  # said in torch's words by what reads the whole call
    if dtype_of(mask).kind != "b":
        raise not_a_mask(dtype_of(mask))
    if isinstance(value, Tensor):
        if rank := len(shape_of(value)):
            raise RuntimeError(
                f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {rank} "
                "dimension(s)."
            )
        if dtype_of(value) != dtype_of(input) and isinstance(value._value, np.ndarray):
            scalar_array(value._value.item(), dtype_of(input))
        return m.masked_fill_tensor(input, mask, value)
    fits = (type(value) is float or type(value) is int) and (-_HELD < value < _HELD or abs(value) == math.inf)
    if not fits or dtype_of(input).kind != "f":
        scalar_array(value, dtype_of(input))
    return m.masked_fill(input, mask, value)


@public(inplace=InPlace(written=_filled, fills=True))
def masked_fill(input: Any, mask: Any, value: Any) -> Tensor:
    """Return the input with a value where a mask holds.

    Parameters
    ----------
    input : Tensor
    mask : Tensor of bool
        Shapes broadcast.
    value : number or Tensor of no dimension
    """
    if isinstance(mask, TensorBase) and shape_of(mask) != shape_of(input):
        check_broadcast((mask, input))
    return _filled(input, mask, value)


def _infinite(name: str, sign: str, compared: Any) -> None:
    def function(input: Any, *, out: Any = None) -> Any:
        if dtype_of(input).kind in "cW":
            raise RuntimeError(f"{name} does not support complex inputs.")
        if dtype_of(input) in dtypes.FLOAT8_NUMPY:
            raise unsupported(f"{name}_cpu", (), dtype_of(input))
        if out is not None and dtype_of(out).kind != "b":
            raise RuntimeError(f"{name} does not support non-boolean outputs.")
        result = c.isinf(input)
        if dtype_of(input).kind not in "biu":
            result = result & compared(input, 0)
        return result if out is None else write_out(out, result, name)

    function.__doc__ = f"""Return where the input is {sign}∞.

    Parameters
    ----------
    input : Tensor
        Real.
    out : Tensor, optional
        Of bool.

    Returns
    -------
    Tensor of bool
    """
    declare(name, function, *ONE, inplace=False, writes_out=True)


_infinite("isposinf", "+", c.gt)
_infinite("isneginf", "−", c.lt)


@public(out=False)
def isreal(input: Any) -> Any:
    """Return where the imaginary part is 0: everywhere in a real tensor.

    Parameters
    ----------
    input : Tensor

    Returns
    -------
    Tensor of bool
    """
    if dtype_of(tensor("isreal", "input", input)).kind in "cW":
        return c.eq(imag_view(input), 0)
    return fill(cast(input, np.dtype(np.bool_)), True)


@public(method=False, out=False)
def detach(input: Any) -> Any:
    """Return the same storage without history."""
    return input.detach()
