"""Few elements are compared pair by pair, and give what sorting gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.ops import sort

NAN = float("nan")
CASES: dict[str, tuple[Any, Any]] = {
    "numbers": (np.array([[1.0, NAN, -0.0], [2.0, np.inf, 5.0]]), np.array([0.0, NAN, np.inf, 2.0])),
    "integers": (np.arange(6).reshape(2, 3).T, np.array([[4, 1], [1, 9]])),
    "halves": (np.array([1.5, 0.0, 2.0], np.float16), np.array([2.0, -0.0], np.float16)),
    "a number": (np.array(3), np.array([3, 4])), "one": (np.array([3, 4]), np.array(3)),
    "none": (np.array([3, 4]), np.array([], np.int64)), "of none": (np.zeros((0, 2)), np.array([1.0])),
}  # fmt: skip


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_pairs_give_what_sorting_gives(name: str, invert: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    x, test = CASES[name]
    expected = np.isin(x, test, invert=invert)
    with monkeypatch.context() as patch:
        patch.setattr(np, "isin", None)  # it is not asked
        found = sort.isin(x, test, invert)
    assert found.dtype == bool
    assert found.shape == x.shape
    assert found.flags.c_contiguous
    assert found.tolist() == expected.tolist()


def test_many_pairs_are_left_to_numpy() -> None:
    x = np.arange(1000)
    assert sort.isin(x, x[::3], False).tolist() == [k % 3 == 0 for k in range(1000)]
