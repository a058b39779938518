"""NumPy's OpenBLAS: the number of its threads, and which kernels it takes.

Optional: where NumPy was built with another BLAS, nothing is found and nothing changes.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np  # noqa: F401  # loads the library that is looked for

_lock = threading.Lock()
_users = 0
_before = 1


#: The sets of kernels that use registers of 512 bits.
_WIDE = frozenset({"SkylakeX", "Cooperlake", "Sapphirerapids"})


@cache
def _functions() -> tuple[Callable[[int], Any], Callable[[], int], Callable[[], bytes]] | None:
    """OpenBLAS's setter and getter, and what names its kernels, under the names that NumPy's wheels and
    the distributions give them.
    """
    extension = sys.modules["numpy._core._multiarray_umath"]
    try:
        library = ctypes.CDLL(extension.__file__)  # finds what the extension module is linked to
    except OSError:
        return None
    for prefix, suffix in (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", "")):
        setter, getter, kernels = (
            getattr(library, f"{prefix}openblas_{name}{suffix}", None)
            for name in ("set_num_threads", "get_num_threads", "get_corename")
        )
        if setter is not None and getter is not None and kernels is not None:
            kernels.restype = ctypes.c_char_p
            return setter, getter, kernels
    return None


@cache
def is_narrow() -> bool:
    """Whether its kernels are for processors with narrower registers than this one has: OpenBLAS does not
    know it, or was told to by ``OPENBLAS_CORETYPE``. Then it multiplies at half of what the processor can do
    (docs/design/0007).
    """
    features = sys.modules["numpy._core._multiarray_umath"].__cpu_features__
    functions = _functions()
    if functions is None or not (features.get("AVX512_SKX") or features.get("X86_V4")):
        return False
    return functions[2]().decode() not in _WIDE


def set_num_threads(count: int) -> None:
    """Give BLAS `count` threads, where its library can be told."""
    global _before
    functions = _functions()
    if functions is not None:
        with _lock:
            _before = count
            if not _users:
                functions[0](count)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Within the block each matrix product runs on the thread that asks for it: the caller spreads the work
    itself.

    OpenBLAS makes threads that ask at the same time wait for one another, so products on two threads that may
    each use two threads run one after the other.
    """
    global _users, _before
    functions = _functions()
    if functions is None:
        yield
        return
    setter, getter, _ = functions
    with _lock:
        if not _users:
            _before = getter()
            setter(1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                setter(_before)


def forget_users() -> None:
    """In a forked child: whoever was inside `single_threaded` stayed in the parent."""
    global _users, _lock
    _lock = threading.Lock()
    functions = _functions()
    if _users and functions is not None:
        functions[0](_before)
    _users = 0
