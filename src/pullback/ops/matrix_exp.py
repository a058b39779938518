"""The exponential of matrices, by scaling and squaring.

A is divided by a power of two until a Padé approximant of fixed degree is accurate to rounding, and the
result is squared as often (Higham 2005, "The scaling and squaring method for the matrix exponential
revisited").
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ..array.lapack import by_numpy
from ..core.op import Call, Term, op
from ..core.value import dtype_of, shape_of
from .join import cat
from .linalg import adjoint, narrow

# Per precision: coefficients of the approximant's numerator, and the 1-norm up to which it is accurate
# (Higham 2005, tables 2.1 and 2.3).
_SINGLE = (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0), 3.925724783138660
_DOUBLE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
), 5.371920351148152  # fmt: skip

METHODS = {letter: _SINGLE if letter in "fF" else _DOUBLE for letter in "fdFD"}


def _matrix_exp(x: ndarray, /) -> ndarray:
    if x.size == 0:
        return x.copy()
    numerator, radius = METHODS[x.dtype.char]
    norm = np.abs(x).sum(-2).max(-1)
    with np.errstate(all="ignore"):
        halvings = np.nan_to_num(np.ceil(np.log2(norm / radius)), nan=0.0, posinf=0.0, neginf=0.0)
    halvings = np.maximum(halvings, 0).astype(np.int64)
    a = x / (2.0**halvings).astype(norm.dtype)[..., None, None]
    square = np.matmul(a, a)
    power = np.eye(x.shape[-1], dtype=x.dtype)
    odd, even = np.zeros_like(x), np.zeros_like(x)
    for place in range(0, len(numerator), 2):
        even = even + numerator[place] * power
        odd = odd + numerator[place + 1] * power
        power = np.matmul(square, power)
    odd = np.matmul(a, odd)
    result = by_numpy(np.linalg.solve, even - odd, even + odd)
    for count in range(int(halvings.max())):
        result = np.where((halvings > count)[..., None, None], np.matmul(result, result), result)
    return result


def _slope(x: Term, direction: Any) -> Term:
    """Return the Fréchet derivative at x: the upper right part of exp [[x, direction], [0, x]]."""
    size, rank = shape_of(x)[-1], len(shape_of(x))
    upper = cat((x, direction), rank - 1)
    lower = cat((np.zeros(shape_of(x), dtype_of(x)), x), rank - 1)
    whole = matrix_exp(cat((upper, lower), rank - 2))
    return narrow(narrow(whole, -2, 0, size), -1, size, size)


#: exp A = Σ Aᵏ / k!
matrix_exp: Call = op(
    "linalg_matrix_exp", _matrix_exp, (lambda g, x: _slope(adjoint(x), g),),
    jvp=lambda primals, tangents, out: _slope(primals[0], tangents[0]), batch=lambda size: (), halves=True,
)  # fmt: skip
