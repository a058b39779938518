"""Differentiate gamma and Dirichlet numbers by their concentration, by torch's approximations.

A number x with the distribution function F(x; α) moves by dx/dα = −(∂F/∂α) / (∂F/∂x) when the quantile is
kept fixed (implicit reparameterization). For these two families ∂F/∂α has no closed form. The same regions
and the same expansions as torch's are used here, so that gradients agree to rounding:

- small x: the Taylor series of F in x;
- large concentrations: the saddle point expansion of Rice, with its limit near the mean;
- in between: rational functions in logarithms, with torch's fitted coefficients.
"""

from collections.abc import Callable

import numpy as np
from numpy import ndarray

from .scipy_functions import special

Region = tuple[ndarray, Callable[..., ndarray]]


def gamma_slope(concentration: ndarray, x: ndarray) -> ndarray:
    """Return dx/dα of a gamma number x of rate 1; both arrays have one shape and one floating-point dtype."""
    dtype = concentration.dtype
    alpha, x = concentration.astype(np.float64), x.astype(np.float64)
    small = x < np.float32(0.8)
    large = ~small & (alpha > 8)
    centre = large & (np.float32(0.9) * alpha <= x) & (x <= np.float32(1.1) * alpha)
    regions = [
        (small, _gamma_small),
        (centre, _gamma_centre),
        (large & ~centre, _gamma_large),
        (~small & ~large, _gamma_between),
    ]
    return _by_region(regions, dtype, alpha, x)


def dirichlet_slope(x: ndarray, concentration: ndarray, total: ndarray) -> ndarray:
    """Return −(∂F/∂α) / (∂F/∂x) / (1 − x) of the Beta distribution with the parameters α and total − α, of
    which the gradients of Dirichlet numbers consist.
    """
    dtype = x.dtype
    beta = total - concentration
    boundary = total * x * (1 - x)
    low = (x <= 0.5) & (boundary < 2.5)
    high = ~low & (x >= 0.5) & (boundary < 0.75)
    large = ~low & ~high & (concentration > 6) & (beta > 6)
    between = ~(low | high | large)
    wide = [array.astype(np.float64) for array in (x, concentration, beta, total)]
    slope = _by_region([(low, _beta_low), (high, _beta_high)], dtype, x, concentration, beta, total)
    return slope + _by_region([(large, _beta_large), (between, _beta_between)], dtype, *wide)


def _by_region(regions: list[Region], dtype: np.dtype, *arrays: ndarray) -> ndarray:
    """Apply each region's function where its mask says, zeros elsewhere."""
    slope = np.zeros(arrays[0].shape, dtype)
    with np.errstate(all="ignore"):
        for mask, function in regions:
            if mask.any():
                slope[mask] = function(*(array[mask] for array in arrays))
    return slope


def _digamma(x: ndarray) -> ndarray:
    digamma = special("digamma")

    return np.asarray(digamma(x))


# --- gamma --------------------------------------------------------------------------------------------------


def _gamma_small(alpha: ndarray, x: ndarray) -> ndarray:
    """Compute it by F = x^α·Σ (−x)ⁱ / (i!·(α + i))."""
    term = np.ones_like(x)
    values, slopes = 1 / alpha, 1 / (alpha * alpha)
    for i in range(1, 6):
        term = term * (-x / i)
        shifted = alpha + i
        values = values + term / shifted
        slopes = slopes + term / (shifted * shifted)
    power = x**alpha
    by_alpha = (np.log(x) - _digamma(alpha)) * (power * values) - power * slopes
    result = -by_alpha / (x ** (alpha - 1) * np.exp(-x))
    return np.where(np.isnan(result), 0, result)


def _gamma_centre(alpha: ndarray, x: ndarray) -> ndarray:
    """Return the saddle point expansion near x = α, where its terms cancel."""
    factor = 1 + 24 * alpha * (1 + 12 * alpha)
    square = alpha * alpha
    polynomial = 1440 * square + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
    return factor * polynomial / (1244160 * square * square)


def _gamma_large(alpha: ndarray, x: ndarray) -> ndarray:
    """Return the saddle point expansion."""
    logarithm = np.log(x / alpha)
    root = np.sqrt(8 * alpha)
    cubed = (x - alpha - alpha * logarithm) ** -1.5
    difference = alpha - x
    sums = root / difference + np.where(x < alpha, -cubed, cubed)
    inner = logarithm * sums - np.sqrt(2 / alpha) * (alpha + x) / (difference * difference)
    stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))
    return -stirling * (x * inner) / root


#: (numerator, denominator), by powers of log(x/α), then of log α.
_GAMMA_FIT = np.array([
    [
        [0.16009398, -0.094634809, 0.025146376, -0.0030648343],
        [0.53487893, 0.1298071, 0.065735949, -0.0015649758],
        [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777],
    ],
    [
        [1, 0.32668115, 0.10406089, 0.0014179084],
        [0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        [0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07],
    ],
])


def _gamma_between(alpha: ndarray, x: ndarray) -> ndarray:
    """Return the exponential of a rational function of log(x/α) and log α."""
    u, v = np.log(x / alpha), np.log(alpha)
    numerator, denominator = (_polynomial(fit, u, v) for fit in _GAMMA_FIT)
    return np.exp(numerator / denominator)


def _polynomial(coefficients: ndarray, *arguments: ndarray) -> ndarray:
    """Return Σ cᵢⱼ…·uⁱ·vʲ·… by Horner's rule."""
    first, *others = arguments
    value: ndarray = np.zeros_like(first)
    for coefficient in coefficients[::-1]:
        value = (_polynomial(coefficient, *others) if others else coefficient) + first * value
    return value


# --- Beta ---------------------------------------------------------------------------------------------------


def _beta_low(x: ndarray, alpha: ndarray, beta: ndarray, total: ndarray) -> ndarray:
    """Compute it by the series of F in x, for x near 0, in the precision of the arguments."""
    factor = _digamma(alpha) - _digamma(alpha + beta) - np.log(x)
    term = np.ones_like(x)
    series = term / alpha * (factor + 1 / alpha)
    for i in range(1, 11):
        term = term * ((i - beta) * x / i)
        shifted = alpha + i
        series = series + term / shifted * (factor + 1 / shifted)
    result = x * (1 - x) ** -beta * series
    return np.where(np.isnan(result), 0, result)


def _beta_high(x: ndarray, alpha: ndarray, beta: ndarray, total: ndarray) -> ndarray:
    """Compute it by the series of 1 − F in 1 − x, for x near 1, in the precision of the arguments."""
    x, alpha, beta = 1 - x, beta, alpha
    factor = _digamma(alpha + beta) - _digamma(beta)
    term, products, slopes = np.ones_like(x), np.ones_like(x), np.zeros_like(x)
    series = factor / alpha
    for i in range(1, 9):
        term = term * (-x / i)
        slopes = slopes * (beta - i) + products
        products = products * (beta - i)
        series = series + term / (alpha + i) * (slopes + factor * products)
    result = (1 - x) ** (1 - beta) * series
    return np.where(np.isnan(result), 0, result)


def _beta_large(x: ndarray, alpha: ndarray, beta: ndarray, total: ndarray) -> ndarray:
    """Return the saddle point expansion, and its limit near the mean."""
    total = alpha + beta
    mean = alpha / total
    deviation = np.sqrt(alpha * beta / (total + 1)) / total
    centre = (mean - 0.1 * deviation <= x) & (x <= mean + 0.1 * deviation)
    return np.where(centre, _beta_centre(x, alpha, beta, total), _beta_saddle(x, alpha, beta, total, mean))


def _beta_centre(x: ndarray, alpha: ndarray, beta: ndarray, total: ndarray) -> ndarray:
    square = beta * beta
    polynomial = 47 * x * square * square + alpha * (
        (43 + 20 * (16 + 27 * beta) * x) * square * beta
        + alpha * (
            3 * (59 + 180 * beta - 90 * x) * square
            + alpha * (
                (453 + 1620 * beta * (1 - x) - 455 * x) * beta + alpha * (8 * (1 - x) * (135 * beta - 11))
            )
        )
    )
    numerator = (1 + 12 * alpha) * (1 + 12 * beta) / (total * total)
    return numerator / (1 - x) * polynomial / (12960 * alpha * alpha * alpha * square * (1 + 12 * total))


def _stirling(x: ndarray) -> ndarray:
    return 1 + 1 / (12 * x) + 1 / (288 * x * x)


def _beta_saddle(x: ndarray, alpha: ndarray, beta: ndarray, total: ndarray, mean: ndarray) -> ndarray:
    distance = alpha * (x - 1) + beta * x
    first = (2 * alpha * alpha * (x - 1) + alpha * beta * (x - 1) - x * beta * beta) / (
        np.sqrt(2 * alpha / beta) * total**1.5 * distance * distance
    )
    pole = np.sqrt(8 * alpha * beta / total) / distance
    divergence = beta * np.log(beta / (total * (1 - x))) + alpha * np.log(alpha / (total * x))
    cubed = divergence**-1.5
    terms = first + 0.5 * np.log(alpha / (total * x)) * (pole + np.where(x < mean, cubed, -cubed))
    stirling = _stirling(alpha) * _stirling(beta) / _stirling(total)
    return stirling * (-x / np.sqrt(2 * alpha * beta / total)) * terms


#: (numerator, denominator), by powers of log x, of log α − log x, and of log total − (log α − log x).
_BETA_FIT = np.array([
    1.003668233, -0.01061107488, -0.0657888334, 0.01201642863,
    0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033,
    -0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013,
    0.221950385, -0.3187676331, 0.01799915743, 0.01074823814,
    -0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057,
    0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05,
    -0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565,
    0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181,
    0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05,
    1, -0.02924021934, -0.04438342661, 0.007285809825,
    0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521,
    -0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149,
    0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273,
    0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956,
    -0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05,
    0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05,
    0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05,
    -0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06,
]).reshape(2, 3, 3, 4)  # fmt: skip


def _beta_between(x: ndarray, alpha: ndarray, beta: ndarray, total: ndarray) -> ndarray:
    """Return a rational correction to x·(ψ(total) − ψ(α)) / β."""
    u = np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    numerator, denominator = (_polynomial(fit, u, a, b) for fit in _BETA_FIT)
    return numerator / denominator * x * (_digamma(total) - _digamma(alpha)) / beta
