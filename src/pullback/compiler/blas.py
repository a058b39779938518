"""The matrix product of the OpenBLAS that NumPy brings: its address, for native code to call."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

import numpy as np

#: Prefix and suffix of the names in the wheels of NumPy 2: 64-bit integers.
_NAMES = (("scipy_", "64_"), ("", "64_"))


@functools.cache
def library() -> ctypes.CDLL | None:
    """NumPy's OpenBLAS; None where NumPy is linked to another BLAS."""
    folder = Path(np.__file__).parent.parent / "numpy.libs"
    for file in sorted(folder.glob("libscipy_openblas64_*")):
        return ctypes.CDLL(str(file))
    return None


@functools.cache
def address(name: str) -> int | None:
    """Address of a function with 64-bit integers, such as ``cblas_sgemm``."""
    loaded = library()
    if loaded is None:
        return None
    for prefix, suffix in _NAMES:
        try:
            return ctypes.cast(getattr(loaded, f"{prefix}{name}{suffix}"), ctypes.c_void_p).value
        except AttributeError:
            continue
    return None
