"""`out=`: a function's result is computed as ever and then written into the tensor that was given.

What torch asks of that tensor, function by function, stands in `out_checks`; here it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..array import dtypes, large
from ..array.deferred_import import import_later
from ..array.dtype_words import type_word
from ..array.elementwise import NAMES, apply, copy_into, result_kind
from ..array.layout import empty_like
from ..array.quiet import IGNORE, loud, quiet
from ..array.strides import overlaps
from ..core import facade, inplace, overlap
from ..core.connected import refusing_node
from ..core.meta import Meta, is_meta
from ..core.modes import DEFAULT, NO_GRAD, modes
from ..core.node import DIFFERENTIABLE
from ..core.value import TensorBase, dtype_of, shape_of
from ..core.versions import bump
from ..core.warn import warn
from .return_types import ReturnType, return_type

if TYPE_CHECKING:
    from ..core.op import Op
    from .out_checks import DtypeCheck

checks = import_later(".out_checks", __package__)
graph_errors = import_later("..core.graph_errors", __package__)

#: Second names of functions, which messages do not use; those that declarations call aliases are added.
ALIASES = {
    "chain_matmul": "linalg_multi_dot", "clip": "clamp", "gammainc": "igamma", "gammaincc": "igammac",
    "inverse": "linalg_inv", "linalg_matmul": "matmul", "matrix_power": "linalg_matrix_power",
    "multigammaln": "mvlgamma", "orgqr": "linalg_householder_product", "row_stack": "vstack",
    "true_divide": "div",
}


def write_out(out: Any, result: Any, name: str, operands: Iterable[Any] = ()) -> Any:
    """Write a result (or several) into `out` tensors, as torch's `out=` does, and return them.

    `operands` are what the result was made of: most functions do not let them share just a part of `out`.
    """
    shown, name = name, ALIASES.get(name, name)
    operands = [operand for operand in operands if isinstance(operand, TensorBase)]
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)):
            kind = errors.type_name(out)
            raise TypeError(f"{shown}(): argument 'out' must be tuple of Tensors, not {kind}")
        if len(out) != len(result):
            raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
        named = isinstance(result, ReturnType)
        fields = result.__match_args__ if isinstance(result, ReturnType) else ("result",) * len(result)
        check = checks.of(name, len(operands), several=True)
        for o, r, field in zip(out, result, fields, strict=True):
            _refuse(o, r, name, operands, check, field)
        written = tuple(_write(o, r, name, operands) for o, r in zip(out, result, strict=True))
        return return_type(f"{type(result).__name__}_out", *fields)(written) if named else written
    if not isinstance(out, TensorBase):
        raise TypeError(f"{shown}(): argument 'out' must be Tensor, not {errors.type_name(out)}")
    kept = all(dtype_of(x) == dtype_of(result) for x in operands[:1])
    check = checks.of(name, len(operands), False, kept, dtype_of(out).kind)
    _refuse(out, result, name, operands, check, "result")
    return _write(out, result, name, operands)


#: Functions that compute in the dtype of `out` where no other is asked for.
IN_DTYPE_OF_OUT = frozenset({"cumprod", "cumsum", "nansum", "prod", "sum"})


def dtype_into(name: str, dtype: Any, out: Any, input: Any) -> Any:
    """Return the dtype in which a sum or a product is computed into `out`: that of `out`, and none else."""
    if not isinstance(out, TensorBase) or not isinstance(input, TensorBase):
        return dtype
    have, kind = dtype_of(out), dtype_of(input).kind
    looks_for_nan = name == "nansum" and kind not in "biu"
    if dtype is None and name == "mean" and have.kind in "biu":
        # The sum is of the dtype of `out`, the mean is not.
        raise graph_errors.unsafe_result(dtypes.get_default_dtype().numpy, have)
    if dtype is None:
        return None if looks_for_nan and have.kind in "biu" else dtypes.from_numpy_dtype(have)
    if have == (want := dtype.numpy) or (looks_for_nan and kind in "cW"):
        return dtype
    if looks_for_nan and want.kind not in "biu":
        raise RuntimeError(
            f"nansum: provided dtype must match dtype of result. Got {type_word(have)} and {type_word(want)}."
        )
    raise checks.wrong_dtype(checks.DTYPES["mm"], name, want, have, "result")


def check_before_kernel(
    error: Exception, name: str, out: Any, operands: Iterable[Any], dtype: Any = None
) -> None:
    """Raise what torch says of `out` before it misses a kernel, which the error names in quotes."""
    if str(error).startswith('"'):
        checks.check_before_kernel(ALIASES.get(name, name), out, operands, dtype)


def written_at_once(op: Op, operands: Sequence[Any], out: Any) -> bool:
    """Compute an op's large result straight into `out`, and return whether that was done: where one of
    NumPy's loops makes elements of its dtype, nothing is recorded, and no two places share memory that are
    not the same. With the native loop left out, 2²⁰ sums of float32 take 26 µs so, with a copy 170.
    """
    a, mode = out._value, modes()
    if type(out) is not facade.Tensor or type(a) is not ndarray or a.size < large.SIZE:
        return False
    if not op.parallel or op.attrs or op.kernel in NAMES:
        return False
    if (mode is not DEFAULT and mode is not NO_GRAD) or out._view is not None or out._node is not None:
        return False
    arrays: list[Any] = []
    for v in operands:
        b = v
        if isinstance(v, TensorBase):
            b = v._value
            plain = type(b) is ndarray and b.dtype is a.dtype and v._view is None
            if not plain or (v._node is not None and mode is DEFAULT):
                return False
        elif type(v) is not float:
            return False
        arrays.append(b)
    if not a.flags.c_contiguous or a.dtype.char not in "fd" or overlaps(a, arrays):
        return False
    try:
        if result_kind(op.kernel, arrays) != (a.shape, a.dtype):
            return False
    except (TypeError, ValueError):  # said in torch's words by what does the whole call
        return False
    inplace.announce_write(out)
    token = quiet(IGNORE)
    try:
        apply(op.kernel, *arrays, out=a)
    finally:
        loud(token)
    bump(out)
    return True


def _refuse(out: Any, result: Any, name: str, operands: list[Any], check: DtypeCheck, field: str) -> None:
    """Raise what torch says before it computes."""
    if _is_recorded(out, result) and name not in checks.COPYING and not checks.unrecorded(name):
        refuse_history(out, checks.refusing(name))
    have, want = dtype_of(out), dtype_of(result)
    if have != want and not check.fits(want, have):
        raise checks.wrong_dtype(check, name, want, have, field)
    if is_meta(result) and not is_meta(out):
        raise graph_errors.written_from_meta()
    if name in checks.READING_APART:
        _check_memory(out, name, operands)


def _is_recorded(out: Any, result: Any) -> bool:
    # A view has the history that was written to its base.
    histories = out, result, *(() if out._view is None else (out._view.base,))
    return modes().grad and any(t._node is not None for t in histories)


def refuse_history(out: Any, shown: str) -> None:
    """Raise torch's error where a function that it calls `shown` may not write into an `out` with a history;
    with `aten::`, where a write in place could not be recorded.
    """
    try:
        if shown.startswith("aten::"):
            return inplace.check_history(out, recording=True)
    except RuntimeError:
        pass
    raise RuntimeError(
        f"{shown}(): functions with out=... arguments don't support automatic differentiation, but one of "
        "the arguments requires grad."
    )


def _is_plain(*tensors: Any) -> bool:
    """Return whether tensors hold arrays, not parts of a trace or of a transform."""
    return all(type(t._value) is np.ndarray for t in tensors)


def _check_memory(out: Any, name: str, operands: list[Any]) -> None:
    careless, apart = name in checks.CARELESS, name in checks.READING_APART
    read = () if name in checks.BUFFERED else operands
    if (recorder := getattr(out._value, "recorder", None)) is not None:
        recorder.check_apart(out, careless, read, apart)
    if not _is_plain(out, *operands):
        return
    if not careless and overlap.overlaps_itself(out._value):
        raise graph_errors.overlapping_write()
    for operand in read:
        inplace.check_apart(out._value, operand._value, whole=not apart)


def _write(out: Any, result: Any, name: str, operands: list[Any]) -> Any:
    if shape_of(out) != shape_of(result):
        _resize(out, result, name)
    elif name not in checks.READING_APART:
        _check_memory(out, name, operands)
    node = None
    if _is_recorded(out, result) and (shown := checks.refusing(name)).startswith("aten::"):
        node = refusing_node(shown, out, operands)
    _fill(out, result, name)
    if node is not None and dtype_of(out) in DIFFERENTIABLE:
        node._shape = shape_of(out)
        inplace.record_write(out, node)
    return out


def _fill(out: Any, result: Any, name: str) -> None:
    if (name in checks.COPYING and modes().grad) or not (is_meta(out) or _is_plain(out, result)):
        out.copy_(result)
        return
    if not is_meta(out):
        inplace.announce_write(out)
        if out._value.flags.c_contiguous:
            copy_into(out._value, result._value)
        else:
            out._value[...] = result._value
    bump(out)


def _resize(out: Any, result: Any, name: str) -> None:
    """Give an `out` tensor the result's shape and order in memory; torch warns when it had elements."""
    shape = shape_of(result)
    has_elements = 0 not in shape_of(out)
    if has_elements and name not in checks.RESIZING:
        warn(
            f"An output with one or more elements was resized since it had shape {list(shape_of(out))}, "
            f"which does not match the required output shape {list(shape)}. This behavior is deprecated, and "
            "in a future PyTorch release outputs will not be resized unless they have zero elements. You can "
            "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
        )
    dtype = dtype_of(out)
    if is_meta(out):
        out._value = Meta(shape, dtype)
        return
    in_order = name in checks.IN_ORDER or (has_elements and name in checks.IN_ORDER_WITH_ELEMENTS)
    follows = _is_plain(result) and not in_order
    out._value = empty_like(result._value, dtype) if follows else np.empty(shape, dtype)
