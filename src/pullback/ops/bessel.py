"""Bessel functions and Airy's.

Formulas are those of the Digital Library of Mathematical Functions, chapters 9 and 10
(https://dlmf.nist.gov/10). torch has derivatives of i0, i1 and their scaled forms only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.bessel import SERIES
from ..array.dtype_words import not_implemented
from ..array.elementwise import native
from ..array.scipy_functions import special
from ..core.op import Call, Term, elementwise
from ..core.promotion import HALVES
from ..core.value import dtype_of
from .comparison import gt, where
from .elementwise import abs as absolute
from .elementwise import sgn
from .kernels import from_scipy, into, refuse
from .signatures import OF_X, ONE


def _series(name: str, op: str = "", *, finite: bool = False, usual: Any = None) -> Callable[..., ndarray]:
    """Return a kernel that computes many numbers of float32 by polynomials, in the native loop of an op (of
    the same name by default) where there is one, and others by SciPy's function.
    """
    usual = usual or from_scipy(name, finite=finite)

    def kernel(x: ndarray, /, out: Any = ...) -> ndarray:
        is_array = isinstance(x, ndarray)  # else what native code is written from
        # SciPy's function takes 3 µs for 64 numbers, and NumPy's many calls 50 to 90.
        if x.dtype != np.float32 or (is_array and x.size < large.SLOW):
            found: ndarray = usual(x, out=out)
            return found
        if is_array and (made := native(op or name, (x,), (), out)) is not None:
            return made
        return into(out, SERIES[name](x.astype(np.float64)).astype(np.float32))

    return kernel


def _away_from_zero(kernel: str, g: Term, x: Term, slope: Any) -> Term:
    """Return g·slope(x), and g/2 where x is too small to divide by; refused where torch has no kernel."""
    if dtype_of(x) in HALVES:
        raise not_implemented(kernel, dtype_of(x))
    tiny = float(np.finfo(dtype_of(x)).eps)
    divides = gt(absolute(x), tiny)
    return g * where(divides, slope(where(divides, x, tiny)), 0.5)


i0 = elementwise(
    "i0", _series("i0", finite=True), lambda g, x: g * i1(x), promote="float",
    check=refuse("i0_vml_cpu", "c"),
    summary="Return the modified Bessel function of the first kind and order 0, I₀(x), of each element.",
    names=("i0", "special.i0"),
)
i1: Call = elementwise(
    "i1", _series("i1", finite=True),
    lambda g, x, out: _away_from_zero("i1_backward", g, x, lambda x: i0(x) - out / x),  # DLMF 10.29.2
    promote="float", node_name="SpecialI1Backward0", check=refuse("i1_cpu", "c"),
    summary="Return the modified Bessel function of the first kind and order 1, I₁(x), of each element.",
    names=("special.i1",),
)
i0e: Call = elementwise(
    "i0e", _series("i0e"), lambda g, x, out: g * (i1e(x) - sgn(x) * out), promote="float",
    node_name="SpecialI0EBackward0", check=refuse("i0e_cpu", "c"),
    summary="Return exp(−|x|)·I₀(x) of each element (DLMF 10.25.2).", names=("special.i0e",),
)
i1e: Call = elementwise(
    "i1e", _series("i1e"),
    lambda g, x, out: _away_from_zero("i1e_backward", g, x, lambda x: i0e(x) - out * (sgn(x) + 1 / x)),
    promote="float", node_name="SpecialI1EBackward0", check=refuse("i1e_cpu", "c"),
    summary="Return exp(−|x|)·I₁(x) of each element (DLMF 10.25.2).", names=("special.i1e",),
)


def _underived(name: str, kernel: Any, summary: str, signatures: tuple[str, ...] = ONE) -> Call:
    return elementwise(
        name, kernel, None, promote="float", check=refuse(f"{name}_cpu", "c", halves=True), summary=summary,
        names=(f"special.{name}",), signatures=signatures,
    )


bessel_j0 = _underived("bessel_j0", from_scipy("j0", finite=True),
                       "Return the Bessel function of the first kind J₀(x) (DLMF 10.2.2).")
bessel_j1 = _underived("bessel_j1", from_scipy("j1", finite=True),
                       "Return the Bessel function of the first kind J₁(x) (DLMF 10.2.2).")
bessel_y0 = _underived("bessel_y0", from_scipy("y0", finite=True),
                       "Return the Bessel function of the second kind Y₀(x) (DLMF 10.2.3).")
bessel_y1 = _underived("bessel_y1", from_scipy("y1", finite=True),
                       "Return the Bessel function of the second kind Y₁(x) (DLMF 10.2.3).")
modified_bessel_i0 = _underived("modified_bessel_i0", _series("i0", finite=True),
                                "Return the modified Bessel function I₀(x) (DLMF 10.25.2).")
modified_bessel_i1 = _underived("modified_bessel_i1", _series("i1", finite=True),
                                "Return the modified Bessel function I₁(x) (DLMF 10.25.2).")
modified_bessel_k0 = _underived("modified_bessel_k0", _series("k0", "modified_bessel_k0"),
                                "Return the modified Bessel function K₀(x) (DLMF 10.25.3).")
modified_bessel_k1 = _underived("modified_bessel_k1", _series("k1", "modified_bessel_k1"),
                                "Return the modified Bessel function K₁(x) (DLMF 10.25.3).")
scaled_modified_bessel_k0 = _underived("scaled_modified_bessel_k0",
                                       _series("k0e", "scaled_modified_bessel_k0"),
                                       "Return eˣ·K₀(x) (DLMF 10.25.3).", OF_X)
scaled_modified_bessel_k1 = _underived("scaled_modified_bessel_k1",
                                       _series("k1e", "scaled_modified_bessel_k1"),
                                       "Return eˣ·K₁(x) (DLMF 10.25.3).", OF_X)


def _spherical(x: ndarray, /, out: object = ...) -> ndarray:
    """Return sin(x)/x (DLMF 10.49.3), by the first terms of its series near zero."""
    near = np.abs(x) < 0.5
    square = x * x
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))))
    result = np.where(near, series, np.sin(x) / np.where(near, 1, x))
    return into(out, np.where(np.isinf(x), 0, result))


spherical_bessel_j0 = _underived("spherical_bessel_j0", _spherical,
                                 "Return the spherical Bessel function sin(x)/x (DLMF 10.49.3).", OF_X)


def _airy(x: ndarray, /, out: object = ...) -> ndarray:
    result = np.asarray(special("airy")(x)[0])
    np.copyto(result, 0, where=x > 103.892)  # where it rounds to 0; SciPy's is nan from 1e10 on
    np.copyto(result, np.nan, where=np.isinf(x))
    return into(out, result)


airy_ai = _underived("airy_ai", _series("airy", "airy_ai", usual=_airy),
                     "Return the Airy function Ai(x) (DLMF 9.2).", OF_X)
