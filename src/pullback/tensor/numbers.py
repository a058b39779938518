"""Functions that take numbers apart or step between them: rounding to decimals, mantissa and exponent, common
divisors, the next number, signs, steps; and powers in double precision.
"""

from typing import Any

import numpy as np

from ..array.dtype_words import type_word
from ..core import inplace
from ..core.value import TensorBase, dtype_of
from ..ops import elementwise as e
from ..ops import mixture as m
from ..ops import numbers as n
from ..ops.convert import cast
from ..ops.signatures import TENSOR_OR_NUMBER
from .api import public
from .math import power
from .operands import declare
from .out import write_out
from .return_types import return_type
from .tensor import Tensor


def copysign(input: Any, other: Any) -> Tensor:
    """Return the magnitude of `input` with the sign of `other`; the sign bit of zeros and nans counts.

    Parameters
    ----------
    input : Tensor
    other : Tensor or number
        Shapes broadcast.
    """
    return m.copysign(input, other) if isinstance(other, TensorBase) else n.copysign_number(input, other)


def heaviside(input: Any, values: Any) -> Tensor:
    """Step function: 0 below zero, `values` at zero, 1 above.

    Parameters
    ----------
    input, values : Tensor
        Of one dtype; shapes broadcast.
    """
    if any(dtype_of(v).kind in "cW" for v in (input, values)):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if dtype_of(input) != dtype_of(values):
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return n.heaviside(input, values)


def round_(input: Any, *, decimals: int | None = None) -> Tensor:
    """Return the nearest integer, halves to even; or nearest multiple of 10^−decimals.

    Parameters
    ----------
    input : Tensor
    decimals : int, optional
        Floating inputs only.
    """
    return e.round.op.public(input) if decimals is None else n.round_decimals(input, decimals)


def frexp(input: Any) -> Any:
    """Return the mantissa and exponent: ``input = mantissa · 2^exponent`` with |mantissa| in [½, 1).

    Parameters
    ----------
    input : Tensor
        Floating.

    Returns
    -------
    mantissa : Tensor
    exponent : Tensor
        int32.
    """
    return return_type("frexp", "mantissa", "exponent")(n.frexp(input))


declare("copysign", copysign, *TENSOR_OR_NUMBER)
declare("heaviside", heaviside, "(Tensor input, Tensor values, *, Tensor out = None)")
declare(
    "round", round_, "(Tensor input, *, Tensor out = None)",
    "(Tensor input, *, int decimals, Tensor out = None)",
)
declare("frexp", frexp, "(Tensor input, *, tuple of Tensors out = None)", inplace=False)


def _doubled(input: Any, exponent: Any, what: str, function: str, target: Any) -> Any:
    """Return the power in float64 or complex128, the dtype of `target`; numbers stay numbers."""
    values = (input, exponent)
    is_complex = any(
        dtype_of(v).kind in "cW" if isinstance(v, TensorBase) else isinstance(v, complex) for v in values
    )
    wide = np.dtype(np.complex128 if is_complex else np.float64)
    if target is not None and dtype_of(target) != wide:
        raise RuntimeError(
            f"the {what} given to {function} has dtype {type_word(dtype_of(target))} but the operation's "
            f"result requires dtype {type_word(wide)}"
        )
    return power(*(cast(v, wide) if isinstance(v, TensorBase) else v for v in values))


def float_power(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """Return the power in double precision (complex double for a complex operand).

    Parameters
    ----------
    input, exponent : Tensor or number
        At least one of them a tensor; shapes broadcast.
    out : Tensor, optional
        Of the result's dtype.

    Returns
    -------
    Tensor
        float64 or complex128.
    """
    result = _doubled(input, exponent, "output", "float_power", out)
    return result if out is None else write_out(out, result, "float_power")


declare(
    "float_power", float_power, "(Tensor input, Tensor exponent, *, Tensor out = None)",
    "(Number self, Tensor exponent, *, Tensor out = None)",
    "(Tensor input, Number exponent, *, Tensor out = None)", inplace=False, writes_out=True,
)


@public(is_function=False, method=True, out=False)
def float_power_(input: Any, exponent: Any) -> Any:
    """Apply :func:`float_power` in place; the input has the result's dtype already."""
    return inplace.write(input, _doubled(input, exponent, "base", "float_power_", input))
