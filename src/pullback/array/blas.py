"""NumPy's and SciPy's OpenBLAS: the number of their threads, and which kernels NumPy's takes.

Optional: where they were built with another BLAS, nothing is found and nothing changes.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from . import locks

#: The sets of kernels that use registers of 512 bits.
_WIDE = frozenset({"SkylakeX", "Cooperlake", "Sapphirerapids"})

_Functions = tuple[Callable[[int], Any], Callable[[], int], Callable[[], bytes]]


class OpenBLAS:
    """The library that an extension module is linked to; NumPy's wheels and SciPy's have one each.

    Parameters
    ----------
    extension : callable
        Imports the module.
    """

    def __init__(self, extension: Callable[[], Any]) -> None:
        self._extension = extension
        self._functions: _Functions | None = None
        self._is_known = False
        self._lock = locks.lock()
        self._users, self._before = 0, 1

    def functions(self) -> _Functions | None:
        """Return its setter and getter, and what names its kernels, under the names that the wheels and the
        distributions give them; None where it is another library.
        """
        if not self._is_known:
            self._functions, self._is_known = self._found(), True
        return self._functions

    def _found(self) -> _Functions | None:
        try:
            library = ctypes.CDLL(self._extension().__file__)  # finds what the extension module is linked to
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

    def set_num_threads(self, count: int) -> None:
        """Give it `count` threads, where it can be told."""
        functions = self.functions()
        if functions is not None:
            with self._lock:
                self._before = count
                if not self._users:
                    functions[0](count)

    @contextmanager
    def single_threaded(self) -> Iterator[None]:
        """Run each call within the block on the thread that asks for it: the caller spreads the work itself,
        or it is not worth spreading.

        OpenBLAS makes threads that ask at the same time wait for one another, so products on two threads that
        may each use two threads run one after the other.
        """
        functions = self.functions()
        if functions is None:
            yield
            return
        setter, getter, _ = functions
        with self._lock:
            if not self._users:
                self._before = getter()
                setter(1)
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    setter(self._before)

    def forget_users(self) -> None:
        """Forget, in a forked child, the users that stayed in the parent."""
        if self._is_known and self._functions is not None and self._users:
            self._functions[0](self._before)
        self._users, self._before = 0, 1


_NUMPY = OpenBLAS(lambda: importlib.import_module("numpy._core._multiarray_umath"))
#: What SciPy's LAPACK computes by. It has threads of its own, which on short work fight over the cores with
#: those of NumPy's and of compiled programs.
SCIPY = OpenBLAS(lambda: importlib.import_module("scipy.linalg._flapack"))
set_num_threads, single_threaded = _NUMPY.set_num_threads, _NUMPY.single_threaded


def forget_users() -> None:
    """Forget the users in a forked child: see `OpenBLAS.forget_users`."""
    _NUMPY.forget_users()
    SCIPY.forget_users()


@cache
def is_narrow() -> bool:
    """Return whether its kernels are for processors with narrower registers than this one has: OpenBLAS does
    not know it, or was told to by ``OPENBLAS_CORETYPE``. Then it multiplies at half of what the processor can
    do (docs/design/0007).
    """
    features = sys.modules["numpy._core._multiarray_umath"].__cpu_features__
    functions = _NUMPY.functions()
    if functions is None or not (features.get("AVX512_SKX") or features.get("X86_V4")):
        return False
    return functions[2]().decode() not in _WIDE
