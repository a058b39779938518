"""torch.special: special functions under torch's names and signatures.

torch's messages call them special_*; the nodes of those that the top level has too are the same. Loaded with
`torch.special` only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..core.op import TABLE
from ..ops import gamma as g
from ..ops import numbers
from ..ops import polynomials as p
from ..ops import special as s
from . import reductions, softmax
from .api import public
from .operands import EITHER_NUMBER, ONE, TWO, by_operands, declare, documented
from .out_checks import ALIASES
from .special_functions import igamma, igammac, logit, mvlgamma, polygamma

_INPUT = "input : Tensor\n    Real; integers are taken as the default dtype."
_OTHER = "other : Tensor\n    Of a shape that broadcasts with that of `input`."


def _ndtr(input: Any) -> Any:
    return (s.erf(input * math.sqrt(0.5)) + 1) * 0.5


#: Those whose argument torch's parser calls x.
_OF_X = {"airy_ai", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0"}

for _op in TABLE.values():
    for _name in (n.removeprefix("special.") for n in _op.names if n.startswith("special.")):
        if _name != _op.name:
            ALIASES[_name] = _op.name
        _signature = "(Tensor x, *, Tensor out = None)" if _name in _OF_X else ONE[0]
        declare(_name, documented(_op.summary, _INPUT)(_op.call), _signature, namespace="special")
declare(
    "ndtr", documented("Return the distribution function of the standard normal, (1 + erf(x/√2))/2.", _INPUT)(
        _ndtr
    ), *ONE, namespace="special",
)  # fmt: skip

#: Functions of a tensor and a parameter: two tensors, or one of them a number.
_BINARY: dict[str, tuple[Callable[..., Any], str]] = {
    "xlogy": (
        by_operands(s.xlogy, s.xlogy_of_number, s.xlogy_with_number), "Return x·log(y), 0 where x is 0."
    ),
    "xlog1py": (
        by_operands(s.xlog1py, s.xlog1py_of_number, s.xlog1py_with_number),
        "Return x·log(1 + y), 0 where x is 0.",
    ),
    "zeta": (
        by_operands(g.zeta, g.zeta_of_number, g.zeta_with_number),
        "Return the Hurwitz zeta function Σₖ (k + y)⁻ˣ (DLMF 25.11.1).",
    ),
}
for _name, (_function, _summary) in _BINARY.items():
    declare(_name, documented(_summary, _INPUT, _OTHER)(_function), *EITHER_NUMBER, namespace="special")

_POLYNOMIALS: dict[str, tuple[Callable[..., Any], str]] = {
    "chebyshev_polynomial_t": (p.chebyshev_polynomial_t, "Chebyshev polynomial of the first kind Tₙ(x)"),
    "chebyshev_polynomial_u": (p.chebyshev_polynomial_u, "Chebyshev polynomial of the second kind Uₙ(x)"),
    "chebyshev_polynomial_v": (p.chebyshev_polynomial_v, "Chebyshev polynomial of the third kind Vₙ(x)"),
    "chebyshev_polynomial_w": (p.chebyshev_polynomial_w, "Chebyshev polynomial of the fourth kind Wₙ(x)"),
    "shifted_chebyshev_polynomial_t": (p.shifted_chebyshev_polynomial_t, "Chebyshev polynomial Tₙ(2x − 1)"),
    "shifted_chebyshev_polynomial_u": (p.shifted_chebyshev_polynomial_u, "Chebyshev polynomial Uₙ(2x − 1)"),
    "shifted_chebyshev_polynomial_v": (p.shifted_chebyshev_polynomial_v, "Chebyshev polynomial Vₙ(2x − 1)"),
    "shifted_chebyshev_polynomial_w": (p.shifted_chebyshev_polynomial_w, "Chebyshev polynomial Wₙ(2x − 1)"),
    "hermite_polynomial_h": (p.hermite_polynomial_h, "Physicist's Hermite polynomial Hₙ(x)"),
    "hermite_polynomial_he": (p.hermite_polynomial_he, "Probabilist's Hermite polynomial Heₙ(x)"),
    "laguerre_polynomial_l": (p.laguerre_polynomial_l, "Laguerre polynomial Lₙ(x)"),
    "legendre_polynomial_p": (p.legendre_polynomial_p, "Legendre polynomial Pₙ(x)"),
}


_OF_DEGREE = (
    "(Tensor x, Tensor n, *, Tensor out = None)", "(Number x, Tensor n, *, Tensor out = None)",
    "(Tensor x, Number n, *, Tensor out = None)",
)
for _name, (_function, _summary) in _POLYNOMIALS.items():
    declare(
        _name,
        documented(
            f"Return the {_summary} (DLMF 18.3).", "x : Tensor or number",
            "n : Tensor or number\n    The degree, cut to an integer; a negative one gives 0.",
        )(_function),
        *_OF_DEGREE, namespace="special",
    )


def round(input: Any, *, decimals: int = 0) -> Any:
    """Round to the nearest multiple of 10^−decimals, halves to even.

    Parameters
    ----------
    input : Tensor
        Floating.
    decimals : int

    Returns
    -------
    Tensor
    """
    return numbers.round_decimals(input, decimals)


_DTYPE = "(Tensor input, int dim, *, torch.dtype dtype = None)"
for _name, _function, _signatures in (
    ("logit", logit, ("(Tensor input, float eps = None, *, Tensor out = None)",)),
    ("round", round, ("(Tensor input, *, int decimals = 0, Tensor out = None)",)),
    ("gammainc", igamma, TWO),
    ("gammaincc", igammac, TWO),
    ("multigammaln", mvlgamma, ("(Tensor input, int p, *, Tensor out = None)",)),
    ("polygamma", polygamma, ("(int n, Tensor input, *, Tensor out = None)",)),
    ("softmax", softmax.softmax, (_DTYPE,)),
    ("log_softmax", softmax.log_softmax, (_DTYPE,)),
):
    declare(_name, _function, *_signatures, namespace="special")
public(reductions.logsumexp, name="logsumexp", namespace="special", method=False)
