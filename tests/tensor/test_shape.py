"""Shapes, strides, nodes and errors of views and joins, as recorded from torch."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import pytest

import pullback
from tests.recorded import load, outcome

RECORDED = load("shapes")


@pytest.mark.parametrize("expression", RECORDED)
def test_as_recorded(expression: str) -> None:
    want = RECORDED[expression]
    got = outcome(expression, pullback)
    assert got == want


def test_roll_without_dims_may_say_so() -> None:
    x = pullback.arange(4).reshape(2, 2)
    assert pullback.roll(x, 1, None).tolist() == x.roll(1, dims=None).tolist() == [[3, 0], [1, 2]]
    assert pullback.roll(pullback.tensor(5), 0, dims=None).item() == 5
    with pytest.raises(RuntimeError, match=r"shifts and dimensions must align. shifts: 2, dims:0"):
        pullback.roll(x, (1, 2), None)


def test_linspace_begins_and_ends_where_it_was_told_to() -> None:
    tiny = 1.0891744531083685e-307
    assert pullback.linspace(tiny, 33.0, 2, dtype=pullback.float64).tolist() == [tiny, 33.0]
    assert pullback.linspace(-33.0, -tiny, 3, dtype=pullback.float64)[-1].item() == -tiny
    assert pullback.linspace(float("inf"), 1.0, 2).isnan().tolist() == [True, True]


@pytest.mark.parametrize(
    ("taken", "text"),
    [
        (lambda: pullback.ones(2).T, "The use of `x.T` on tensors of dimension other than 2"),
        (lambda: pullback.ones(()).T, "Tensor.T is deprecated on 0-D tensors. This function is the identity"),
        (lambda: pullback.ones(()).mT, "Tensor.mT is deprecated on 0-D tensors. This function is the id"),
        (lambda: pullback.ones(()).H, "Tensor.H is deprecated on 0-D tensors. Consider using x.conj()."),
        (lambda: pullback.ones(()).adjoint(), "adjoint() is deprecated on 0-D tensors. Consider using x.con"),
    ],
)
def test_a_deprecated_transpose_warns_once(taken: Callable[[], object], text: str) -> None:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        for _ in range(2):
            taken()
    assert [str(w.message)[: len(text)] for w in given] == [text]
    assert given[0].filename == __file__


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda sparse, _: sparse.select(0, 0), "select() cannot be applied to a 0-dim tensor."),
        (lambda sparse, _: sparse.transpose(0, 2), "Dimension out of range (expected to be in range of [-1"),
        (lambda _, x: pullback.nn.functional.unfold(x, 2), "Dimension specified as 1 but tensor has no dim"),
        (lambda _, x: pullback.nn.functional.avg_pool2d(x, 2), "Dimension specified as -3 but tensor has no"),
    ],
)
def test_a_tensor_without_dimensions_has_none_to_name(call: Callable[..., object], text: str) -> None:
    sparse = pullback.sparse_coo_tensor(pullback.zeros(0, 1, dtype=pullback.int64), pullback.ones(1), ())
    with pytest.raises(IndexError, match=re.escape(text)):
        call(sparse, pullback.tensor(1.0))
