"""torch.special.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

from typing import Any
from typing import TypeAlias
from typing import overload
from ..array.dtypes import dtype
from ..tensor.tensor import Tensor

_Number: TypeAlias = int | float | complex

def airy_ai(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Airy function Ai(x) (DLMF 9.2)."""
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the first kind J₀(x) (DLMF 10.2.2)."""
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the first kind J₁(x) (DLMF 10.2.2)."""
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the second kind Y₀(x) (DLMF 10.2.3)."""
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the second kind Y₁(x) (DLMF 10.2.3)."""
@overload
def chebyshev_polynomial_t(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_t(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_t(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial of the first kind Tₙ(x) (DLMF 18.3)."""
@overload
def chebyshev_polynomial_u(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_u(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_u(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial of the second kind Uₙ(x) (DLMF 18.3)."""
@overload
def chebyshev_polynomial_v(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_v(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_v(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial of the third kind Vₙ(x) (DLMF 18.3)."""
@overload
def chebyshev_polynomial_w(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_w(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def chebyshev_polynomial_w(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial of the fourth kind Wₙ(x) (DLMF 18.3)."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithmic derivative of the gamma function, Γ′(x)/Γ(x), of each element."""
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the entropy −x·log(x) of each element: 0 at 0 and −∞ below."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the error function 2/√π·∫₀ˣ exp(−t²) dt of each element."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complementary error function 1 − erf(x) of each element."""
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the scaled complementary error function exp(x²)·erfc(x) of each element (DLMF 7.2)."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose error function each element is: ±∞ at ±1 and nan beyond."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the power 2ˣ of each element."""
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logistic function 1/(1 + e⁻ˣ) of each element."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return eˣ − 1 of each element, exact near 0."""
def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the lower incomplete gamma function over Γ, P(a, x) = 1/Γ(a)·∫₀ˣ tᵃ⁻¹e⁻ᵗ dt, x being `other`
    (DLMF 8.2.4).
    """
def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the upper incomplete gamma function over Γ, Q(a, x) = 1 − P(a, x), x being `other` (DLMF
    8.2.4).
    """
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the gamma function's size, log |Γ(x)|, of each element."""
@overload
def hermite_polynomial_h(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def hermite_polynomial_h(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def hermite_polynomial_h(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the physicist's Hermite polynomial Hₙ(x) (DLMF 18.3)."""
@overload
def hermite_polynomial_he(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def hermite_polynomial_he(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def hermite_polynomial_he(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the probabilist's Hermite polynomial Heₙ(x) (DLMF 18.3)."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0, I₀(x), of each element."""
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(−|x|)·I₀(x) of each element (DLMF 10.25.2)."""
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 1, I₁(x), of each element."""
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(−|x|)·I₁(x) of each element (DLMF 10.25.2)."""
@overload
def laguerre_polynomial_l(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def laguerre_polynomial_l(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def laguerre_polynomial_l(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Laguerre polynomial Lₙ(x) (DLMF 18.3)."""
@overload
def legendre_polynomial_p(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def legendre_polynomial_p(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def legendre_polynomial_p(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Legendre polynomial Pₙ(x) (DLMF 18.3)."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 + x) of each element, exact near 0."""
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the standard normal's distribution function of each element."""
def log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Return input − log Σ exp(input) along `dim`; `dtype` casts the input first."""
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return log(x / (1 − x))."""
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return log Σ exp(input) over `dim`, computed without overflow."""
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function I₀(x) (DLMF 10.25.2)."""
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function I₁(x) (DLMF 10.25.2)."""
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function K₀(x) (DLMF 10.25.3)."""
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function K₁(x) (DLMF 10.25.3)."""
def multigammaln(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function, log Γₚ(x) (DLMF 35.3.4)."""
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the distribution function of the standard normal, (1 + erf(x/√2))/2."""
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the quantile of the standard normal of each element: the inverse of `ndtr`."""
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the derivative of order n of ψ, (−1)ⁿ⁺¹·n!·ζ(n + 1, x) (DLMF 5.15.1, 25.11.12)."""
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithmic derivative of the gamma function, Γ′(x)/Γ(x), of each element."""
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Round to the nearest multiple of 10^−decimals, halves to even."""
def scaled_modified_bessel_k0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return eˣ·K₀(x) (DLMF 10.25.3)."""
def scaled_modified_bessel_k1(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return eˣ·K₁(x) (DLMF 10.25.3)."""
@overload
def shifted_chebyshev_polynomial_t(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_t(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_t(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial Tₙ(2x − 1) (DLMF 18.3)."""
@overload
def shifted_chebyshev_polynomial_u(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_u(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_u(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial Uₙ(2x − 1) (DLMF 18.3)."""
@overload
def shifted_chebyshev_polynomial_v(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_v(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_v(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial Vₙ(2x − 1) (DLMF 18.3)."""
@overload
def shifted_chebyshev_polynomial_w(x: Tensor, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_w(x: _Number, n: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def shifted_chebyshev_polynomial_w(x: Tensor, n: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Chebyshev polynomial Wₙ(2x − 1) (DLMF 18.3)."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return sin(πx)/(πx) of each element: 1 at 0."""
def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Return exp(input) / Σ exp(input) along `dim`; `dtype` casts the input first."""
def spherical_bessel_j0(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the spherical Bessel function sin(x)/x (DLMF 10.49.3)."""
@overload
def xlog1py(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def xlog1py(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def xlog1py(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return x·log(1 + y), 0 where x is 0."""
@overload
def xlogy(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def xlogy(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def xlogy(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return x·log(y), 0 where x is 0."""
@overload
def zeta(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def zeta(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def zeta(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the Hurwitz zeta function Σₖ (k + y)⁻ˣ (DLMF 25.11.1)."""
