"""Say whether arrays share memory in a way that makes a write to one of them ambiguous, judged as torch
judges it.

What cannot be decided from sizes, strides and addresses alone counts as no overlap.
"""

from numpy import ndarray

from ..array.layout import is_dense
from ..array.strides import address, strides_of

NONE, FULL, PARTIAL = range(3)


def overlaps_itself(array: ndarray) -> bool:
    """Return whether two elements share memory because an axis was expanded."""
    return 0 in array.strides and array.size > 0 and any(
        stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True)
    )


def takes_writes(array: ndarray) -> bool:
    """Return whether all elements of an array can be written, each without changing another."""
    if not array.flags.writeable:
        return False
    if array.flags.forc or not array.size:
        return True
    beyond = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape)):
        if size > 1:
            if stride < beyond:
                return False
            beyond += stride * (size - 1)
    return True


def _owner(array: ndarray) -> ndarray | None:
    """Return the array that owns the memory; None where that is not seen at once."""
    if (base := array.base) is None:
        return array
    return base if type(base) is ndarray and base.base is None else None


def is_same(a: ndarray, b: ndarray) -> bool:
    """Return whether two arrays are the same elements in the same order."""
    alike = a.strides == b.strides and a.shape == b.shape and a.dtype == b.dtype
    return alike and address(a) == address(b)


def overlap(a: ndarray, b: ndarray) -> int:
    """Return how two arrays overlap: `NONE`, `FULL` where they are one and the same, or `PARTIAL`."""
    if a is b:
        return FULL
    if a.base is None is b.base:
        return NONE
    owner, other_owner = _owner(a), _owner(b)
    if owner is not None and other_owner is not None and owner is not other_owner:
        return NONE
    if not a.size or not b.size or not is_dense(a) or not is_dense(b):
        return NONE
    start, other = address(a), address(b)
    end, other_end = start + a.nbytes, other + b.nbytes
    if start == other and end == other_end:
        return FULL if strides_of(a) == strides_of(b) else PARTIAL
    return PARTIAL if start < other_end and other < end else NONE
