"""Do functions of `numpy.linalg` by the routines that these call, and note them.

Where a routine fails it gives NaN, for which the functions raise: that is Python's then.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import FUNCTIONS, plain_of
from .recorder import Recorder
from .steps import Unrecorded

_ROUTINES: Any = getattr(np.linalg, "_umath_linalg", None)


def _called(recorder: Recorder, name: str, x: Any) -> Any:
    """Return what a routine gives in double precision, as NumPy's functions call it."""
    routine = getattr(_ROUTINES, name, None)
    x = recorder.told(plain_of(x))
    if routine is None or x.dtype.char not in "fdFD":
        raise Unrecorded(f"NumPy has no {name} for this")
    wide = x.dtype.char in "dD"
    found = routine(x if wide else x.astype(_WIDE[x.dtype.char]))
    parts = found if type(found) is tuple else (found,)
    narrow = [part if wide else part.astype(_NARROW[part.dtype.char]) for part in parts]
    return tuple(narrow) if type(found) is tuple else narrow[0]


_WIDE, _NARROW = {"f": np.float64, "F": np.complex128}, {"d": np.float32, "D": np.complex64}


def _checked(found: Any) -> Any:
    for part in found:
        if not np.isfinite(np.add.reduce(part, axis=None)):
            raise Unrecorded("a routine that failed")
    return found


def _det(recorder: Recorder, x: Any) -> Any:
    return _called(recorder, "det", x)


def _slogdet(recorder: Recorder, x: Any) -> Any:
    return _called(recorder, "slogdet", x)


def _eigh(recorder: Recorder, x: Any, triangle: str = "L") -> Any:
    return _checked(_called(recorder, "eigh_lo" if triangle == "L" else "eigh_up", x))


def _eigvalsh(recorder: Recorder, x: Any, triangle: str = "L") -> Any:
    return _checked((_called(recorder, "eigvalsh_lo" if triangle == "L" else "eigvalsh_up", x),))[0]


def _svd(recorder: Recorder, x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if not compute_uv:
        return _checked((_called(recorder, "svd", x),))[0]
    return _checked(_called(recorder, "svd_f" if full_matrices else "svd_s", x))


def _eig(recorder: Recorder, x: Any) -> Any:
    """Return complex eigenvalues and vectors also where all are real, which callers make of these."""
    return _checked(_called(recorder, "eig", x))


def _qr(recorder: Recorder, x: Any, mode: str = "reduced") -> Any:
    """Return both factors; the first routine leaves what the second one reads in its operand."""
    plain = plain_of(x)
    routine = getattr(_ROUTINES, "qr_r_raw", None)
    if routine is None or mode not in ("reduced", "complete") or plain.dtype.char not in "fdFD":
        raise Unrecorded("a factorization of another kind")
    own = recorder.own(np.empty(plain.shape, _WIDE.get(plain.dtype.char, plain.dtype)))
    recorder.copy_to(own, recorder.told(plain).astype(own.dtype, copy=False))
    scales = routine(own)
    rows, columns = plain.shape[-2:]
    full = mode == "complete" and rows > columns
    q = getattr(_ROUTINES, "qr_complete" if full else "qr_reduced")(own, scales)
    r = own[..., : rows if full else min(rows, columns), :]
    r = _triangle(np.triu)(recorder, r)
    return tuple([part.astype(plain.dtype, copy=False) for part in (q, r)])


def _triangle(function: Any) -> Callable[..., Any]:
    """Return what does `np.tril` or `np.triu`."""

    def take(recorder: Recorder, x: Any, k: int = 0) -> Any:
        return recorder.choose(function(np.ones(x.shape[-2:], bool), k), x, x.dtype.type(0))

    return take


FUNCTIONS |= {
    np.linalg.det: _det, np.linalg.slogdet: _slogdet, np.linalg.eigh: _eigh, np.linalg.svd: _svd,
    np.linalg.eig: _eig, np.linalg.qr: _qr, np.linalg.eigvalsh: _eigvalsh, np.tril: _triangle(np.tril),
    np.triu: _triangle(np.triu),
}  # fmt: skip
