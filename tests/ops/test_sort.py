"""The first few of large rows are those that a stable sort puts first, nan and equals included."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch
from pullback.array import selection


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_topk_of_large_rows(dim: int, dtype: str, largest: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST", 0)  # what torch makes of equals is tested in tests/array
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((40, 50, 60)) * 40).astype(dtype)
    if dtype.startswith("f"):
        x[rng.random(x.shape) < 0.01] = np.nan
        x[3] = np.nan
        x[rng.random(x.shape) < 0.01] = np.inf
    values, indices = torch.from_numpy(x).topk(4, dim, largest)
    by_sort = torch.from_numpy(x).sort(dim, descending=largest)
    np.testing.assert_array_equal(indices.numpy(), by_sort.indices.narrow(dim, 0, 4).numpy())
    np.testing.assert_array_equal(values.numpy(), by_sort.values.narrow(dim, 0, 4).numpy())


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_topk_of_small_rows_natively(dim: int, largest: bool, monkeypatch, price) -> None:
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(selection, "MOST", 0)
    rng = np.random.default_rng(1)
    x = torch.from_numpy((rng.standard_normal((50, 40, 24)).clip(-1, 1) * 9).round().astype("f4"))
    x[0, 3:9] = float("nan")
    by_sort = x.sort(dim, descending=largest)
    size = x.shape[dim] // 8
    price(0)
    values, indices = x.topk(size, dim, largest)
    assert torch.equal(indices, by_sort.indices.narrow(dim, 0, size))
    np.testing.assert_array_equal(values.numpy(), by_sort.values.narrow(dim, 0, size).numpy())
