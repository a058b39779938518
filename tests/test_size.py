"""Size behaves as torch.Size: a tuple of ints whose slices, sums and multiples are Sizes."""

from __future__ import annotations

from types import SimpleNamespace

from pullback.array import dtypes
from pullback.core.size import Size, size_of
from tests.recorded import load, outcome

SIZES = load("basics")["sizes"]
TORCH = SimpleNamespace(**vars(dtypes), Size=Size)


def test_as_torch() -> None:
    assert {expression: outcome(expression, TORCH) for expression in SIZES} == SIZES


def test_size_of_wraps_a_shape() -> None:
    size = size_of((2, 3))
    assert type(size) is Size
    assert size == (2, 3)


def test_elements_become_plain_ints() -> None:
    assert [type(n) for n in Size([True, 2])] == [int, int]
