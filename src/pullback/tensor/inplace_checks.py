"""Check an in-place function of two operands as torch does before it looks for a kernel: the result's shape
and its dtype, which the first operand has to hold.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import c_name, type_word
from ..core.inplace import castable, refuse_result
from ..core.op import TABLE, Op
from ..core.promotion import check_broadcast
from ..core.value import TensorBase, dtype_of, shape_of
from .out import ALIASES

graph_errors = import_later("..core.graph_errors", __package__)

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


def gives_bools(op: Op) -> bool:
    """Return whether an elementwise op gives bools, whatever its operands are."""
    if any(op.rules):
        return False  # not asked of the kernel, which may load SciPy
    nothing = np.empty(0, np.int64)
    return bool(op.kernel(*(nothing,) * len(op.inputs)).dtype.kind == "b")


def promoting_two(name: str) -> Op | None:
    """Return the op of a function of two operands alone, elementwise at their common dtype; else None."""
    op = TABLE.get(ALIASES.get(name, name))
    if op is None or op.kind != "elementwise" or op.promote is None or len(op.inputs) != 2 or op.attrs:
        return None
    return op


def check_before_kernel(name: str, x: Any, operands: Sequence[Any]) -> None:
    """Raise torch's error of an elementwise result that `x` cannot hold, before that of a kernel."""
    if (op := TABLE.get(ALIASES.get(name, name))) is None:
        refuse_result(x, operands, of_bools=False)
    elif op.kind == "elementwise":
        # Attributes, such as a weight, follow the inputs of an op of several.
        met = operands if len(op.inputs) == 1 else operands[: len(op.inputs) - 1]
        refuse_result(x, met, of_bools=not op.attrs and gives_bools(op))


def check_result(op: Op, x: Any, other: Any) -> None:
    """Raise torch's error where a result of `x` and `other` has a shape or dtype that `x` cannot hold."""
    own, shape = dtype_of(x), shape_of(x)
    if op.name == "sub" and "b" in (own.kind, dtype_of(other).kind):
        return  # what was said of bools is said first
    check_broadcast((x, other))
    if (whole := np.broadcast_shapes(shape, shape_of(other))) != shape:
        raise graph_errors.wrong_out_shape(shape, whole)
    from .properties import common_dtype  # properties are declared with what calls this

    common = common_dtype(x, other)
    if op.promote == "float" and common.kind in "biu":
        common = dtypes.get_default_dtype().numpy
    if not gives_bools(op) and not castable(common, own):
        raise graph_errors.unsafe_result(common, own)
