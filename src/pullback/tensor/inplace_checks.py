"""Check an in-place function of two operands as torch does before it looks for a kernel: the result's shape
and its dtype, which the first operand has to hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import c_name, type_word
from ..core.inplace import castable
from ..core.promotion import check_broadcast
from ..core.value import TensorBase, dtype_of, shape_of

graph_errors = import_later("..core.graph_errors", __package__)

#: The functions, by what becomes of the operands' common dtype: it is the result's, or integers are divided
#: as floating numbers, or the result is one of zeros and ones, which every dtype holds.
_SAME = frozenset({
    "add_", "sub_", "subtract_", "mul_", "multiply_", "remainder_", "fmod_", "floor_divide_", "bitwise_and_",
    "bitwise_or_", "bitwise_xor_", "bitwise_left_shift_", "bitwise_right_shift_", "gcd_", "hypot_", "lcm_",
    "nextafter_", "pow_",
})  # fmt: skip
_DIVIDING = frozenset({"div_", "divide_", "true_divide_", "copysign_", "atan2_", "xlogy_"})
COMPARING = frozenset({
    "eq_", "ne_", "lt_", "le_", "gt_", "ge_", "less_", "less_equal_", "greater_", "greater_equal_",
    "not_equal_", "logical_and_", "logical_or_", "logical_xor_",
})  # fmt: skip


_CLAMPING = frozenset({"clamp_", "clamp_max_", "clamp_min_", "clip_"})


def check_stored(name: str, x: Any, operands: Iterable[Any], result: Any) -> None:
    """Raise a function's own error where `x` cannot hold the dtype of the result of ``x.name(*operands)``."""
    if (name != "ldexp_" and name not in _CLAMPING) or castable(have := dtype_of(result), own := dtype_of(x)):
        return
    if name == "ldexp_" and own.kind in "biu":
        raise RuntimeError(f"ldexp can't be cast to the desired output type {type_word(own)}")
    if name in _CLAMPING and not any(isinstance(v, TensorBase) for v in operands):
        raise RuntimeError(
            f"result type {type_word(have)} can't be cast to the desired output type {c_name(own)}"
        )


def check_result(name: str, x: Any, other: Any) -> None:
    """Raise torch's error where the result of ``x.name(other)`` would have another shape than `x`, or a dtype
    that `x` cannot hold.
    """
    if name not in _SAME | _DIVIDING | COMPARING:
        return
    own, shape = dtype_of(x), shape_of(x)
    if name in ("sub_", "subtract_") and "b" in (own.kind, dtype_of(other).kind):
        return  # what was said of bools is said first
    check_broadcast((x, other))
    whole = np.broadcast_shapes(shape, shape_of(other))
    if whole != shape:
        raise graph_errors.wrong_out_shape(shape, whole)
    from .properties import common_dtype  # properties are declared with what calls this

    common = common_dtype(x, other)
    if name in _DIVIDING and common.kind in "biu":
        common = dtypes.get_default_dtype().numpy
    if name not in COMPARING and not castable(common, own):
        raise graph_errors.unsafe_result(common, own)
