"""Special functions of torch's top level: those with parameters, and those of two values.

`torch.special` has them under other names (`special`).
"""

from typing import Any

from ..ops import gamma as g
from ..ops import special as s
from ..ops.signatures import EITHER_NUMBER
from .api import with_signature
from .operands import by_operands, declare
from .tensor import Tensor

_XLOGY = by_operands(s.xlogy, s.xlogy_of_number, s.xlogy_with_number)


def xlogy(x: Any, y: Any) -> Tensor:
    """Return x·log(y), 0 where x is 0 and y not nan.

    Parameters
    ----------
    x, y : Tensor or number
        At least one of them a tensor; shapes broadcast.
    """
    return _XLOGY(x, y)


def polygamma(n: int, input: Any) -> Tensor:
    """Return the derivative of order n of ψ, (−1)ⁿ⁺¹·n!·ζ(n + 1, x) (DLMF 5.15.1, 25.11.12).

    Parameters
    ----------
    n : int
        Not negative; 0 gives ψ itself.
    input : Tensor
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return g.polygamma(input, n)


def mvlgamma(input: Any, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function, log Γₚ(x) (DLMF 35.3.4).

    It is p·(p − 1)/4·log π + Σₖ log Γ(x − k/2), k from 0 to p − 1.

    Parameters
    ----------
    input : Tensor
        Above (p − 1)/2.
    p : int
        The dimension, at least 1.
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    return g.mvlgamma(input, p)


def logit(input: Any, eps: float | None = None) -> Tensor:
    """Return log(x / (1 − x)).

    Parameters
    ----------
    input : Tensor
    eps : float, optional
        The input is cut to [eps, 1 − eps] first; by default, what is outside [0, 1] gives nan.
    """
    return s.logit(input, eps)


declare("xlogy", xlogy, *EITHER_NUMBER)
declare("logit", logit, "(Tensor input, float eps = None, *, Tensor out = None)")
declare("mvlgamma", mvlgamma, "(Tensor input, int p, *, Tensor out = None)")
declare("polygamma", polygamma, "(int n, Tensor input, *, Tensor out = None)", method=False)


@with_signature(is_function=False, name="polygamma", inplace=True, out=False)
def _polygamma_of(self: Any, n: int) -> Any:
    """Return the derivative of order n of ψ (see `torch.polygamma`)."""
    return polygamma(n, self)
