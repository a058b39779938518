"""The dtypes in which torch computes: how operands meet, which a kernel refuses, how halves are rounded."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import not_implemented
from ..array.layout import in_dtype
from ..array.quiet import IGNORE, loud, quiet
from .value import shape_of
from .warn import warn_of_complex_half

errors = import_later(".graph_errors", __package__)

FLOAT16, COMPLEX32 = dtypes.float16.numpy, dtypes.COMPLEX32
HALVES = frozenset({dtypes.float16.numpy, dtypes.bfloat16.numpy})
#: The dtypes in which nothing is computed, and those that stand for them.
NARROW: dict[np.dtype[Any], np.dtype[Any]] = {
    **dict.fromkeys((*HALVES, *dtypes.FLOAT8_NUMPY), dtypes.float32.numpy), COMPLEX32: dtypes.complex64.numpy
}


def check_broadcast(inputs: Sequence[object]) -> None:
    """Raise torch's error where the shapes of inputs do not broadcast."""
    broadcast_shape(*[tuple(shape_of(v)) for v in inputs if v is not None])


def check_refused_shapes(error: Exception) -> None:
    """Raise torch's error where this package's own code gave NumPy shapes that do not broadcast.

    A rule does so where the hook that unpacks a saved value returned one of another shape. What code of the
    user's had from NumPy (a hook's, a function's) stays as it is.
    """
    place = error.__traceback__
    if type(error) is not ValueError or "could not be broadcast together" not in str(error) or place is None:
        return
    while place.tb_next is not None:
        place = place.tb_next
    if place.tb_frame.f_globals.get("__name__", "").startswith(__package__.partition(".")[0]):
        found = re.findall(r"\(([\d,]*)\)", str(error))
        broadcast_shape(*[tuple(int(size) for size in shape.split(",") if size) for shape in found])


@functools.lru_cache(maxsize=1024)
def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which shapes broadcast, or raise torch's error of the last sizes that differ."""
    so_far = shapes[0]
    for shape in shapes[1:]:
        if shape == so_far or not shape:
            continue
        rank = max(len(so_far), len(shape))
        a = (1,) * (rank - len(so_far)) + so_far
        b = (1,) * (rank - len(shape)) + shape
        for axis in range(rank - 1, -1, -1):
            m, n = a[axis], b[axis]
            if m != n and m != 1 and n != 1:
                raise errors.no_broadcast(m, n, axis)
        so_far = tuple([n if m == 1 else m for m, n in zip(a, b, strict=True)])
    return so_far


def unsupported(
    word: str, inputs: Sequence[object], dtype: np.dtype[Any] | None = None
) -> NotImplementedError:
    """Build torch's error for a dtype that a kernel is not written for."""
    dtype = dtype or next(v.dtype for v in inputs if isinstance(v, ndarray))
    return not_implemented(word, dtype)


_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def common_dtype(operands: Sequence[object]) -> np.dtype[Any]:
    """Return the dtype in which operands of an elementwise op meet; torch looks at their shapes before."""
    try:
        return dtypes.result_numpy_dtype(operands)
    except RuntimeError:
        check_broadcast(operands)
        raise


def promoted(inputs: tuple[object, ...], policy: str, broadcast: bool = False) -> tuple[Any, ...]:
    """Cast arrays to the dtype in which torch computes; Python numbers become arrays of it where
    NumPy would differ. Where they broadcast, their shapes have to fit for them to meet.
    """
    first = None
    for v in inputs:
        if v is None:
            continue
        if type(v) is not ndarray or (first is not None and v.dtype != first):
            break
        first = v.dtype
    else:
        if first is not None and first in _FLOATS:
            return inputs
    present = []
    for v in inputs:
        if v is not None:
            # NumPy makes scalars of 0-d arrays, as in the sum of two covectors.
            present.append(np.asarray(v) if isinstance(v, np.generic) else v)
    common = (common_dtype if broadcast else dtypes.result_numpy_dtype)(present)
    if policy == "float" and common.kind in "biu":
        common = dtypes.get_default_dtype().numpy
    # Loops, here and above: comprehensions took 1 µs of 4 more.
    cast: list[Any] = []
    for v in inputs:
        if type(v) is ndarray or isinstance(v, ndarray):
            cast.append(v if v.dtype == common else converted(v, common))
        else:
            cast.append(v if v is None else converted(np.asarray(v), common))
    return tuple(cast)


#: The Python numbers, whose kinds say what they promote to.
_NUMBERS = frozenset({bool, int, float, complex})


def kinds_of(inputs: tuple[object, ...]) -> tuple[object, ...] | None:
    """Return all that the dtype depends on in which operands meet; None where one is no array or number."""
    kinds: list[object] = [dtypes.get_default_dtype()]
    for v in inputs:
        if (kind := type(v)) is ndarray:
            kinds.append(v.dtype if v.ndim else (v.dtype,))  # type: ignore[attr-defined]
        elif kind in _NUMBERS:
            kinds.append(kind)
        else:
            return None
    return tuple(kinds)


def cast_to(v: Any, dtype: np.dtype[Any]) -> ndarray:
    """Return an array, or a number, in a dtype; of an expanded one NumPy would move the repeated axes
    inward.
    """
    if not isinstance(v, ndarray):
        return np.asarray(v).astype(dtype)
    return v if v.dtype is dtype else in_dtype(v, dtype, "C" if 0 in v.strides else "K")


def converted(x: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """Return `cast_to` of an array, without NumPy's warnings and with torch's."""
    if dtype == COMPLEX32:
        warn_of_complex_half()
    token = quiet(IGNORE)  # as where `mul` of halves is given 1e20
    try:
        return cast_to(x, dtype)
    finally:
        loud(token)


def rounded(result: Any, half: np.dtype[Any]) -> Any:
    """Return a result of float32 in the dtype of halves that it was computed for, complex64 likewise."""
    if isinstance(result, tuple):
        return tuple(rounded(r, half) for r in result)
    narrow = (half if half != COMPLEX32 else FLOAT16) if result.dtype == np.float32 else (
        COMPLEX32 if result.dtype == np.complex64 and half in (COMPLEX32, FLOAT16) else None
    )
    if narrow is None:
        return result
    if narrow is COMPLEX32:
        warn_of_complex_half()
    return in_dtype(result, narrow)
