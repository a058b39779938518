"""Complex values made of two real ones."""

from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.layout import as_pairs
from ..core.op import Term, Terms, elementwise
from ..core.warn import warn_of_complex_half
from .complex import real
from .convert import conj
from .elementwise import cos, sgn, sin


def _complex(x: ndarray, y: ndarray, /, out: Any = ...) -> ndarray:
    dtype = dtypes.from_numpy_dtype(x.dtype).to_complex().numpy
    if dtype == dtypes.COMPLEX32:
        warn_of_complex_half()
    new = np.empty(np.broadcast_shapes(x.shape, y.shape), dtype) if out is ... else out
    parts = as_pairs(new)
    parts[..., 0] = x
    parts[..., 1] = y
    return new


def _complex_jvp(primals: Terms, tangents: Terms, out: Term) -> Term:
    t, u = tangents
    return complex(t, t * 0) if u is None else complex(u * 0 if t is None else t, u)


#: x + i·y of two real values.
complex = elementwise(
    "complex",
    _complex,
    # torch saves the parts, which it reads the dtype off
    lambda g, x: real(g),
    lambda g, y: real(g * -1j),
    promote=None,
    halves=False,
    jvp=_complex_jvp,
    form=lambda ops, x, y: ops.pair(x, y),
)


def _polar_jvp(primals: Terms, tangents: Terms, out: Term) -> Any:
    _, y = primals
    t, u = tangents
    along = 0 if t is None else complex(t * cos(y), t * sin(y))
    around = 0 if u is None else out * complex(u * 0, u)
    return along + around


#: x·exp(i·y) of a length and an angle.
polar = elementwise(
    "polar",
    lambda x, y, /, out=...: _complex(x * np.cos(y), x * np.sin(y), out),
    # Of the result's sign as torch has it, which is the slope of a length that is not negative.
    lambda g, out: real(g * conj(sgn(out))),
    lambda g, out: real(g * conj(out * 1j)),
    promote=None,
    halves=False,
    jvp=_polar_jvp,
    form=lambda ops, x, y: ops.pair(*(ops.mul(x, ops.function(name, y)) for name in ("cos", "sin"))),
)
