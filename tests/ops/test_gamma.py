"""Incomplete gamma functions are exact in single precision where they are not SciPy's."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch


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
