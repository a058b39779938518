"""Constructors from before `torch.tensor`, given what is no list of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        ({}, TypeError, r"new\(\): data must be a sequence \(got dict\)"),
        ((np.zeros(4), {}), ValueError, r"expected sequence of length 4 at dim 1 \(got 0\)"),
        ([[1, 2], {}], ValueError, r"expected sequence of length 2 at dim 1 \(got 0\)"),
        ([[1, 2], 3], TypeError, "not a sequence"),
    ],
)
def test_refused(data: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=f"^{text}$"):
        torch.FloatTensor(data)


def test_keys_are_read_where_a_sequence_is_due() -> None:
    assert torch.FloatTensor([[1, 2], {3: "a", 4: "b"}]).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("make", [torch.FloatTensor, torch.Tensor, torch.ones(1).new])
def test_an_array_of_the_dtype_is_shared(make: Any) -> None:
    array = np.ones((4, 6), dtype=np.float32)[::2, ::3]
    made = make(array)
    array[0, 0] = 5
    assert made[0, 0].item() == 5
    assert made.stride() == (12, 3)
    assert make(array.astype(np.float64))[0, 0].item() == 5
