"""Do functions of `numpy.linalg` by the routines that these call, and note them.

Where a routine fails it gives NaN, for which the functions raise: that is Python's then.
"""

from __future__ import annotations

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


def _svd(recorder: Recorder, x: Any, full_matrices: bool = True) -> Any:
    return _checked(_called(recorder, "svd_f" if full_matrices else "svd_s", x))


FUNCTIONS |= {np.linalg.det: _det, np.linalg.slogdet: _slogdet, np.linalg.eigh: _eigh, np.linalg.svd: _svd}
