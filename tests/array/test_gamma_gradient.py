"""Implicit gradients of gamma and Dirichlet numbers against differences of SciPy's quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from pullback.array.gamma_gradient import dirichlet_slope, gamma_slope

#: torch's fits are right to about three digits, its expansions to more.
FIT = 2e-3


@pytest.mark.parametrize("concentration", [0.05, 0.6, 1.0, 3.0, 7.9, 8.5, 30.0, 400.0])
def test_gamma_number_at_a_fixed_quantile(concentration: float) -> None:
    probabilities = np.array([0.02, 0.2, 0.5, 0.8, 0.98])
    x = special.gammaincinv(concentration, probabilities)
    step = 1e-5 * concentration
    high = special.gammaincinv(concentration + step, probabilities)
    low = special.gammaincinv(concentration - step, probabilities)
    kept = x > 1e-30
    got = gamma_slope(np.full(5, concentration), x)
    np.testing.assert_allclose(got[kept], ((high - low) / (2 * step))[kept], rtol=FIT)


@pytest.mark.parametrize(
    ("alpha", "beta"), [(0.3, 0.5), (0.5, 4.0), (2.0, 3.0), (5.0, 1.5), (7.0, 9.0), (80.0, 50.0)]
)
def test_beta_number_at_a_fixed_quantile(alpha: float, beta: float) -> None:
    probabilities = np.array([0.05, 0.3, 0.5, 0.7, 0.95])
    x = special.betaincinv(alpha, beta, probabilities)
    step = 1e-5 * alpha
    high = special.betaincinv(alpha + step, beta, probabilities)
    low = special.betaincinv(alpha - step, beta, probabilities)
    expected = (high - low) / (2 * step) / (1 - x)
    got = dirichlet_slope(x, np.full(5, alpha), np.full(5, alpha + beta))
    np.testing.assert_allclose(got, expected, rtol=5 * FIT)


def test_empty() -> None:
    empty = np.empty((0, 3), np.float32)
    assert gamma_slope(empty, empty).shape == (0, 3)
    assert dirichlet_slope(empty, empty, empty).dtype == np.float32
