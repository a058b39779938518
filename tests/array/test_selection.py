"""Equal elements: which of them topk, kthvalue and mode name, as recorded from torch 2.13."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pullback as torch
from pullback.array import selection

#: Length and number of distinct elements of a row, k, then the places that topk gives for the largest, the
#: smallest, and the largest with two nan, kthvalue for k, for the last with two nan, and mode.
CASES = [
    (5, 2, 2, [2, 4], [2, 4], [2, 3], 2, 2, 4),
    (20, 3, 7, [14, 8, 11, 13, 17, 19, 10], [6, 12, 0, 9, 15, 3, 18], [10, 3, 14, 11, 13, 19, 16], 3, 10, 1),
    (40, 5, 11, [32, 12, 14, 34, 17, 19, 24, 27, 29, 39, 22], [26, 15, 16, 20, 21, 25, 31, 36, 35, 1, 30],
     [3, 20, 27, 14, 17, 19, 22, 32, 37, 34, 24], 30, 20, 6),
    (40, 5, 1, [34], [20], [20], 15, 20, 6),
    (130, 7, 2, [9, 2], [7, 0], [65, 3], 21, 65, 77),
    (130, 3, 40,
     [125, 82, 83, 85, 86, 88, 89, 110, 128, 127, 80, 124, 122, 121, 119, 118, 116, 115, 113, 112, 67, 53, 55,
      56, 58, 59, 61, 62, 64, 65, 91, 68, 70, 71, 73, 74, 76, 77, 79, 98],
     [126, 45, 42, 102, 105, 36, 33, 108, 30, 9, 99, 6, 21, 117, 18, 15, 12, 120, 129, 111, 63, 78, 75, 81,
      72, 84, 69, 66, 0, 87, 39, 60, 90, 57, 93, 54, 51, 96, 48, 123],
     [3, 65, 82, 79, 83, 85, 86, 88, 89, 121, 112, 113, 115, 116, 118, 119, 125, 128, 127, 110, 124, 67, 53,
      55, 56, 58, 59, 61, 62, 64, 80, 68, 70, 71, 73, 74, 76, 77, 92, 122], 12, 65, 40),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} of {case[1]}, {case[2]}")
@pytest.mark.parametrize("stacked", [False, True])
def test_places_of_equals(case: tuple[int, int, int, *tuple[object, ...]], stacked: bool) -> None:
    length, distinct, k, *expected = case
    row = np.float32([(7 * i * i + 3 * i) % distinct for i in range(length)])
    holes = row.copy()
    holes[[3, length // 2]] = math.nan
    plain, nans = torch.tensor(row), torch.tensor(holes)
    dim = 0
    if stacked:
        distinct_row = torch.arange(float(length))
        plain, nans = (torch.stack([distinct_row, x, distinct_row]).t() for x in (plain, nans))

    def places(found: object) -> list[int]:
        indices = found.indices
        return (indices[..., 1] if stacked else indices).tolist()

    assert [
        places(plain.topk(k, dim)), places(plain.topk(k, dim, largest=False)), places(nans.topk(k, dim)),
        places(plain.kthvalue(k, dim)), places(nans.kthvalue(length, dim)), places(plain.mode(dim)),
    ] == expected  # fmt: skip


def test_values_and_places_agree() -> None:
    x = torch.tensor(np.random.default_rng(0).integers(0, 9, (20, 300)))
    for k in (1, 4, 5, 150, 299, 300):
        for largest in (False, True):
            values, indices = x.topk(k, largest=largest)
            assert torch.equal(values, x.gather(1, indices))
            assert torch.equal(values, x.sort(descending=largest).values[:, :k])
            assert all(len(set(row)) == k for row in indices.tolist())


def test_rows_that_parting_does_not_shorten() -> None:
    # Each part is parted next to its end, until a heap takes over.
    n = 400
    killer = np.argsort(np.r_[0:n:2, n - 1 : 0 : -2], kind="stable") // 2
    for row in (killer, np.r_[0 : n // 2, n // 2 : 0 : -1], np.zeros(n, np.int64)):
        assert row[selection.sorted_places(row)].tolist() == sorted(row.tolist())
        keys, places = row.tolist(), list(range(n))
        selection.hold(keys, places, 0, n, n)
        selection.empty(keys, places, 0, n)
        assert keys == sorted(row.tolist()) == row[places].tolist()
        assert row[selection.place_of_rank(row, 100)] == sorted(row.tolist())[100]


def test_long_rows_keep_the_order_of_equals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST", 10)
    x = torch.zeros(30)
    assert x.topk(4).indices.tolist() == [0, 1, 2, 3]
    assert x.kthvalue(4).indices.item() == 3
    assert x.mode().indices.item() == 29
