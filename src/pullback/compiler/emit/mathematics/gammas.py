"""lgamma and digamma: series for large arguments, to which smaller ones are brought by recurrence.

Both are asymptotic series in Bernoulli numbers (DLMF 5.11.1 and 5.11.2). What the steps of the recurrence add
up to is one logarithm of a product, or one quotient.
"""

from ..lanes import Lanes, Writer
from .circular import tan
from .coefficients import LGAMMA
from .logarithms import wide_log

#: B₂ₖ / (2k (2k − 1)) and B₂ₖ / 2k, from k = 1 on.
_OF_LGAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
              43867 / 244188, -174611 / 125400)  # fmt: skip
_OF_DIGAMMA = tuple(c * (2 * k + 1) for k, c in enumerate(_OF_LGAMMA))
#: From here on the series hold.
_LARGE_LGAMMA, _LARGE_DIGAMMA = 8, 10
_HALF_LOG_OF_TURN, _PI = 0.9189385332046728, 3.141592653589793
#: From here on products with the logarithm may overflow.
_HUGE = 1e300


def lgamma(ops: Writer, x: Lanes) -> tuple[Lanes, Lanes]:
    """Return the logarithm of the gamma function of positive numbers.

    Below 8 it is lgamma(2 + t), t the distance from a whole number, which is t times a polynomial, and the
    logarithm of a product: so it is right to the last bits beside its zeros at 1 and 2, too.
    """
    large = x >= float(_LARGE_LGAMMA)
    t = x - ops.floor(x + 0.5)
    # x (x + 1) beside 0 and x beside 1, both as divisors; (x - 1) (x - 2) … (t + 2) from 3 on.
    product = ops.select(x < 0.5, x * (x + 1.0), ops.select(x < 1.5, x, 1.0))
    for n in range(3, _LARGE_LGAMMA + 1):
        product = ops.select(x >= n - 0.5, product * (x - float(n - 2)), product)
    logarithm = wide_log(ops, ops.select(large, x, product))
    near = t * ops.polynomial(t, LGAMMA[ops.narrow])
    near = ops.select(x < 1.5, near - logarithm, near + logarithm)
    inverse = 1.0 / ops.select(large, x, 1.0)
    series = inverse * ops.polynomial(inverse * inverse, _OF_LGAMMA)
    far = ops.muladd(x - 0.5, logarithm - 1.0, (_HALF_LOG_OF_TURN - 0.5) + series)
    holds = (x > 0.0) & (x < _HUGE)
    return ops.select(large, far, near), ~holds


def digamma(ops: Writer, x: Lanes) -> Lanes:
    """Return the derivative of lgamma; below zero it is ψ(1 − x) − π cot(πx). Beside its zero at 1.46 the
    error is that of numbers of size 1.
    """
    below = x < 0.0
    z = ops.select(below, 1.0 - x, x)
    top, bottom = ops.constant(0.0), ops.constant(1.0)
    # Σ 1 / (z + k) as one quotient.
    for _ in range(_LARGE_DIGAMMA):
        small = z < float(_LARGE_DIGAMMA)
        top = ops.select(small, ops.muladd(top, z, bottom), top)
        bottom = ops.select(small, bottom * z, bottom)
        z = ops.select(small, z + 1.0, z)
    inverse = 1.0 / z
    square = inverse * inverse
    series = ops.muladd(square, ops.polynomial(square, _OF_DIGAMMA), inverse * 0.5)
    found = wide_log(ops, z) - series - top / bottom
    found = ops.select(z < float("inf"), found, z)
    turn, _ = tan(ops, (x - ops.floor(x + 0.5)) * _PI)
    mirrored = ops.select(turn.equals(0.0), float("nan"), found - _PI / turn)
    return ops.select(below, mirrored, found)
