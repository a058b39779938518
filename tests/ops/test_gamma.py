"""Incomplete gamma functions are exact in single precision where they are not SciPy's; digamma below zero."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch
from pullback.ops import gamma


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_is_the_exact_value_rounded(name):
    special = pytest.importorskip("scipy.special")
    a = np.array([1e-30, 1e-7, 1e-5, 1.1e-5, 1e-3, 0.3, 1.0, 1.1, 5.0, 19.9, 20.0, 40.0, 0.0], np.float32)
    x = np.append(np.geomspace(1e-8, 60, 40), [0.0, 1.0, 1.1]).astype(np.float32)[:, None]
    found = getattr(torch.special, name)(torch.tensor(a), torch.tensor(x)).numpy()
    exact = getattr(special, name)(a.astype(np.float64), x.astype(np.float64))
    known = ~np.isnan(exact)
    assert known.sum() > 500
    np.testing.assert_array_max_ulp(found[known], exact[known].astype(np.float32), 1)


def test_digamma_below_zero_is_found_by_reflection(monkeypatch):
    special, given = gamma.special, []

    def noting(name):
        return lambda x, **out: (given.append(x.min()), special(name)(x, **out))[1]

    monkeypatch.setattr(gamma, "special", noting)
    x = np.array([-0.4, -0.504083, -1.5, -7.75, -3.0, -0.0, 0.0, 2.5], np.float64)
    for dtype, near in ((np.float64, 1e-14), (np.float32, 2e-6)):
        found = torch.digamma(torch.tensor(x.astype(dtype))).numpy()
        exact = special("digamma")(x.astype(dtype).astype(np.float64))
        exact[4:7] = np.nan, np.inf, -np.inf
        np.testing.assert_allclose(found, exact.astype(dtype), near, 1e-6 if dtype is np.float32 else 1e-14)
    found = torch.digamma(torch.tensor(-7.9999, dtype=torch.float64)).item()
    assert found == pytest.approx(-9997.859041309805, rel=1e-14)
    assert given and min(given) >= 0  # SciPy's series takes 4 to 17 µs an element there
