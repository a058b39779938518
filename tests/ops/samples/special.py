"""Samples of special functions, orthogonal polynomials and functions that take numbers apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from . import Sample, between, integers, normal, positive

_SIGNED = {
    "bessel_j0": scipy.special.j0,
    "bessel_j1": scipy.special.j1,
    "modified_bessel_i0": scipy.special.i0,
    "modified_bessel_i1": scipy.special.i1,
    "i0": scipy.special.i0,
    "i0e": scipy.special.i0e,
    "i1": scipy.special.i1,
    "i1e": scipy.special.i1e,
    "spherical_bessel_j0": lambda x: scipy.special.spherical_jn(0, x),
    "airy_ai": lambda x: scipy.special.airy(x)[0],
    "erfcx": scipy.special.erfcx,
    "log_ndtr": scipy.special.log_ndtr,
    "sinc": np.sinc,
}
_POSITIVE = {
    "bessel_y0": scipy.special.y0,
    "bessel_y1": scipy.special.y1,
    "modified_bessel_k0": scipy.special.k0,
    "modified_bessel_k1": scipy.special.k1,
    "scaled_modified_bessel_k0": scipy.special.k0e,
    "scaled_modified_bessel_k1": scipy.special.k1e,
    "entr": scipy.special.entr,
}
_POLYNOMIALS = {
    "chebyshev_polynomial_t": scipy.special.eval_chebyt,
    "chebyshev_polynomial_u": scipy.special.eval_chebyu,
    "shifted_chebyshev_polynomial_t": scipy.special.eval_sh_chebyt,
    "shifted_chebyshev_polynomial_u": scipy.special.eval_sh_chebyu,
    "hermite_polynomial_h": scipy.special.eval_hermite,
    "hermite_polynomial_he": scipy.special.eval_hermitenorm,
    "laguerre_polynomial_l": scipy.special.eval_laguerre,
    "legendre_polynomial_p": scipy.special.eval_legendre,
}


def _by_angle(even: Any, x: np.ndarray, n: np.ndarray, shifted: bool) -> np.ndarray:
    angle = np.arccos(2 * x - 1 if shifted else x)
    return even((n + 0.5) * angle) / even(angle / 2)


_ANGLES = {"v": np.cos, "w": np.sin}

SAMPLES = [
    *(Sample(name, (normal(2, 3, scale=3),), reference=f) for name, f in _SIGNED.items()),
    *(Sample(name, (positive(2, 3, high=9.0),), reference=f) for name, f in _POSITIVE.items()),
    *(
        Sample(
            name,
            (between(4, 1, low=-0.9, high=1.9), np.arange(12.0)),
            reference=lambda x, n, f=f: f(n.astype(int), x),
        )
        for name, f in _POLYNOMIALS.items()
    ),
    *(
        Sample(
            f"{prefix}chebyshev_polynomial_{kind}",
            (between(3, 1, low=0.1, high=0.9), np.arange(12.0)),
            reference=lambda x, n, even=even, shifted=bool(prefix): _by_angle(even, x, n, shifted),
        )
        for prefix in ("", "shifted_")
        for kind, even in _ANGLES.items()
    ),
    Sample("ndtri", (between(5, low=0.1, high=0.9),), reference=scipy.special.ndtri),
    Sample("logit", (between(5, low=0.1, high=0.9),), (None,), reference=lambda x, e: scipy.special.logit(x)),
    Sample("logit", (between(5, low=0.3, high=0.7),), (0.2,)),
    Sample("xlogy", (positive(3), positive(2, 3)), reference=scipy.special.xlogy),
    Sample("xlog1py", (positive(3), positive(2, 3)), reference=scipy.special.xlog1py),
    Sample("xlogy_of_number", (positive(3),), (2.0,), reference=lambda y, x: scipy.special.xlogy(x, y)),
    Sample("xlogy_with_number", (positive(3),), (2.0,), reference=scipy.special.xlogy),
    Sample("xlog1py_of_number", (positive(3),), (2.0,), reference=lambda y, x: scipy.special.xlog1py(x, y)),
    Sample("xlog1py_with_number", (positive(3),), (2.0,), reference=scipy.special.xlog1py),
    Sample("polygamma", (between(4, low=-0.9, high=-0.1),), (1,)),
    *(
        Sample(
            "polygamma", (positive(3, high=5.0),), (n,), reference=lambda x, n: scipy.special.polygamma(n, x)
        )
        for n in range(5)
    ),
    Sample("mvlgamma", (positive(4, low=2.0, high=5.0),), (3,), reference=scipy.special.multigammaln),
    Sample("igamma", (integers(3, low=1, high=5), positive(3)), reference=scipy.special.gammainc),
    Sample("igammac", (integers(3, low=1, high=5), positive(3)), reference=scipy.special.gammaincc),
    Sample("zeta", (integers(3, low=2, high=6), positive(3)), reference=scipy.special.zeta),
    Sample("zeta_of_number", (positive(3),), (2.5,), reference=lambda y, x: scipy.special.zeta(x, y)),
    Sample(
        "zeta_with_number",
        (positive(3, low=2.0, high=4.0),),
        (1.5,),
        smooth=False,
        reference=scipy.special.zeta,
    ),
    Sample("gcd", (integers(4, low=-20, high=20), integers(4, low=-20, high=20)), reference=np.gcd),
    Sample("lcm", (integers(4, low=-20, high=20), integers(4, low=-20, high=20)), reference=np.lcm),
    Sample("nextafter", (normal(4), normal(4)), reference=np.nextafter),
    Sample("ldexp", (normal(4), integers(4, low=-5, high=5)), reference=np.ldexp),
    Sample("ldexp", (normal(4), normal(4)), reference=lambda x, y: x * 2**y),
    Sample("frexp", (np.array([0.3, -1.7, 5.0, 100.3]),), reference=np.frexp),
    *(
        Sample("round_decimals", (np.array([0.313, -1.741, 5.172]),), (d,), reference=np.round, second=False)
        for d in (0, 1, -1)
    ),
    Sample("heaviside", (np.array([-1.0, 0.0, 2.0]), normal(3)), smooth=False, reference=np.heaviside),
    Sample("copysign_number", (normal(4),), (-2.0,), reference=np.copysign),
]
