"""Copies, casts and conjugates."""

from typing import Any

import numpy as np
from numpy import float32, float64, ndarray

from ..array import layout
from ..array.dtypes import COMPLEX32
from ..core import facade
from ..core.op import T, Term, elementwise, op
from ..core.promotion import HALVES
from ..core.value import Value, dtype_of
from ..core.warn import warn_of_complex_half

_F32 = np.dtype(np.float32)

SINGLE = np.dtype(np.float32)


def _cast(x: ndarray, /, dtype: np.dtype[Any]) -> ndarray:
    if dtype == COMPLEX32:
        warn_of_complex_half()
    return layout.convert(x, dtype)


#: Values in another dtype; a copy. The engine brings the covector back to the input's dtype.
cast = op(
    "cast", _cast, (lambda g: g,), kind="linear", node_name="ToCopyBackward0",
    batch=lambda size, dtype: (dtype,),
)


#: A copy that keeps the strides of a dense input.
clone = op("clone", lambda x, /: layout.copy(x), (lambda g: g,), kind="linear", batch=lambda size: ())


def _conj_kernel(x: ndarray, /, out: Any = ...) -> ndarray:
    return np.conjugate(x, out=out)


_conj = elementwise("conj", _conj_kernel, lambda g: conj(g), promote=None, halves=False)


#: The same under torch's name for conjugates that are computed at once.
conj_physical = elementwise("conj_physical", _conj_kernel, lambda g: conj(g), promote=None, halves=False)


#: The conjugates as a view, which is what users get; the same as `conj` where there is no memory to share.
conj_view = elementwise(
    "_conj", _conj_kernel, lambda g: conj(g), promote=None, halves=False, node_name="ConjBackward0",
    signs=lambda conjugated, negated: (not conjugated, negated),
)

#: The negatives as a view.
neg_view = elementwise(
    "_neg_view", np.negative, lambda g: -g, node_name="NegViewBackward0",
    signs=lambda conjugated, negated: (conjugated, not negated),
)


def conj(x: Any) -> Any:
    """Return complex conjugate; a real value is returned as it is (rules call this on every covector)."""
    if (kind := type(x)) is ndarray:
        if x.dtype is _F32:
            return x
        return np.conjugate(x) if x.dtype.kind in "cW" else x
    if kind is float32 or kind is float64:
        return x
    if kind is facade.Tensor and type(x._value) is ndarray and x._value.dtype.kind == "f":
        return x
    if isinstance(x, Value):
        return _conj(x) if dtype_of(x).kind in "cW" else x
    if kind is int and x >= 1 << 63:
        return float(x)  # a bfloat16 array takes no Python int that int64 does not hold
    return x.conjugate() if isinstance(x, (complex, np.complexfloating)) else x


def as_dtype(x: T, dtype: np.dtype[Any]) -> T:
    """Return the value in a dtype: itself where it has it."""
    return x if dtype_of(x) == dtype else cast(x, dtype)


def widened(x: T) -> T:
    """Return float16 and bfloat16 in float32 for a rule of several steps. The engine rounds its result."""
    dtype = dtype_of(x)
    return cast(x, SINGLE) if dtype.itemsize == 2 and dtype in HALVES else x


def convert(value: Term, dtype: np.dtype[Any]) -> Term:
    """Cast a covector to an edge's dtype."""
    return _cast(value, dtype) if type(value) is ndarray else cast(value, dtype)
