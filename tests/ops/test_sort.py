"""Sorts and distinct values of large arrays; the first few are those that a stable sort puts first."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch
from pullback.array import selection
from pullback.ops import sort


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


@pytest.mark.parametrize(
    ("least", "span", "packed"), [(-40, 99, 3), (2**62, 2**31 - 1, 3), (-(2**62), 2**63, 0)]
)
def test_integers_are_packed_where_they_fit(least, span, packed, monkeypatch):
    rng, usual, met = np.random.default_rng(2), sort.order.sorted_places, []
    monkeypatch.setattr(sort.order, "sorted_places", lambda x, down: (met.append(x.dtype), usual(x, down))[1])
    x = rng.integers(0, span, 5000, np.uint64, endpoint=True).astype(np.int64) + np.int64(least)
    x[1000:1900], x[7], x[9] = x[2000:2900], least, least + span
    for descending in (False, True):
        places = torch.from_numpy(x).argsort(stable=True, descending=descending).numpy()
        turned = -1 if descending else 1
        known = np.argsort(x[::turned], kind="stable")[::turned]
        np.testing.assert_array_equal(places, 4999 - known if descending else known)
    found = torch.from_numpy(x).unique(return_inverse=True, return_counts=True)
    for own, other in zip(found, np.unique(x, return_inverse=True, return_counts=True), strict=True):
        np.testing.assert_array_equal(own.numpy(), other)
    assert met == [np.dtype(np.int32)] * packed
