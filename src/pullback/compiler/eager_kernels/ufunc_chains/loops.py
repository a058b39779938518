"""Find NumPy's inner loops, whose addresses stand in its ufuncs."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import numpy as np


class _Ufunc(ctypes.Structure):
    """The beginning of NumPy's structure of a ufunc, which its headers publish."""

    _fields_ = (
        ("head", ctypes.c_void_p * 2), ("nin", ctypes.c_int), ("nout", ctypes.c_int), ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int), ("loops", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)), ("ntypes", ctypes.c_int), ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
    )  # fmt: skip


@lru_cache(maxsize=256)
def loop_of(ufunc: np.ufunc, dtypes: tuple[np.dtype[Any], ...]) -> tuple[int, int]:
    """Return the addresses of a ufunc's loop for some dtypes and of what the loop is given.

    Raises a LookupError where it has none, or is not laid out as NumPy documents.
    """
    there = _Ufunc.from_address(id(ufunc))
    if (there.nin, there.nout, there.ntypes) != (ufunc.nin, ufunc.nout, ufunc.ntypes):
        raise LookupError("ufuncs are not laid out as NumPy documents")
    if there.name != ufunc.__name__.encode():
        raise LookupError("ufuncs are not laid out as NumPy documents")
    chars = "".join(dtype.char for dtype in dtypes)
    wanted = f"{chars[: ufunc.nin]}->{chars[ufunc.nin :]}"
    if wanted not in ufunc.types:
        raise LookupError(f"{ufunc.__name__} has no loop {wanted}")
    at = ufunc.types.index(wanted)
    return there.loops[at] or 0, (there.data[at] or 0) if there.data else 0
