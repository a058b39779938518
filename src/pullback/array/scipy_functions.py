"""SciPy's functions for kernels, imported when they are first used, and what stands in for it where it is not
installed.

It comes with pullback, but a service that only runs networks may leave it out to be smaller. Then what
networks use works element by element, or by NumPy; all else raises the import's error, with a note that says
what to install.
"""

import contextlib
import functools
import importlib
import math
import os
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy import ndarray

from .tiering import NotYet


@functools.cache
def is_installed() -> bool:
    """Return whether there is a SciPy to import."""
    from importlib import util  # here and elsewhere when first asked: it takes 0.3 ms of an import

    try:
        return util.find_spec("scipy") is not None
    except ModuleNotFoundError:  # a finder refuses it
        return False


#: Whether SciPy is to be imported where it is not, in 0.05 to 0.2 s.
imports: ContextVar[bool] = ContextVar("imports", default=True)


def _allow(module: str) -> None:
    if module not in sys.modules and not imports.get():
        raise NotYet


@functools.cache
def extension(*names: str) -> Any:
    """Return the first of these extension modules that SciPy has, by itself where it can be had so: what
    holds it is imported in 0.25 s, `linalg._flapack` alone in 4 ms and pocketfft in 1.
    """
    for name in names:
        if (found := _alone(f"scipy.{name}")) is not None:
            return found
    for name in names[:-1]:
        with contextlib.suppress(ModuleNotFoundError):
            return _imported(name)
    return _imported(names[-1])


def _imported(name: str) -> Any:
    _allow(f"scipy.{name}".rpartition(".")[0])
    return importlib.import_module(f"scipy.{name}")


def _alone(name: str) -> Any:
    """Return an extension module without its package; None where that is imported, or does not have it."""
    if (package := name.rpartition(".")[0]) in sys.modules or not is_installed():
        return None
    from importlib.machinery import PathFinder
    from importlib.util import find_spec, module_from_spec

    around = find_spec("scipy")
    places = [] if around is None else list(around.submodule_search_locations or ())
    folders = [os.path.join(place, *package.split(".")[1:]) for place in places]
    about = PathFinder.find_spec(name, folders)
    # Where libraries are found by what the package sets up when it is imported, this fails.
    with contextlib.suppress(ImportError):
        if about is not None and about.loader is not None:
            module = module_from_spec(about)
            about.loader.exec_module(module)
            # Its package, once it is imported, is to find it as it would have.
            sys.modules.pop(name, None)
            return module
    return None


@functools.cache
def special(name: str) -> Any:
    """Return a function of `scipy.special`, whose import costs about 0.1 s."""
    try:
        _allow("scipy.special")
        return getattr(importlib.import_module("scipy.special"), name)
    except ModuleNotFoundError as error:
        if name in _STAND_INS:
            return _STAND_INS[name]
        raise _explained(error)  # noqa: B904  # it is the same error


def lapack() -> Any:
    """Return the extension module with LAPACK's routines."""
    try:
        return extension("linalg._flapack")
    except ModuleNotFoundError as error:
        raise _explained(error)  # noqa: B904  # it is the same error


@functools.cache
def sparse() -> Any:
    """Return `scipy.sparse`."""
    try:
        _allow("scipy.sparse")
        return importlib.import_module("scipy.sparse")
    except ModuleNotFoundError as error:
        raise _explained(error)  # noqa: B904  # it is the same error


@functools.cache
def fft() -> Any:
    """Return `scipy.fft`, or NumPy's module of that name, whose functions take the same arguments."""
    try:
        _allow("scipy.fft")
        return importlib.import_module("scipy.fft")
    except ModuleNotFoundError:
        return np.fft


def _explained(error: ModuleNotFoundError) -> ModuleNotFoundError:
    error.add_note("SciPy computes this, and is not installed here: pip install scipy")
    return error


def _each(function: Callable[[float], float]) -> Callable[..., ndarray]:
    """Return a function of arrays that calls one of numbers for each element: 60 to 100 ns, not 5 to 20."""

    def of_array(x: Any, /, out: Any = None) -> ndarray:
        array = np.asarray(x)
        numbers = np.fromiter(map(function, array.ravel().tolist()), np.float64, array.size)
        if isinstance(out, ndarray):
            out[...] = numbers.reshape(array.shape)
            return out
        dtype = array.dtype if array.dtype.kind == "f" else np.float64
        return numbers.astype(dtype).reshape(array.shape)

    return of_array


def _log_of_gamma(x: float) -> float:
    if x == -math.inf:
        return x
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # at a pole, and where it is too large
        return math.inf


_STAND_INS = {"erf": _each(math.erf), "erfc": _each(math.erfc), "gammaln": _each(_log_of_gamma)}
