"""Sorting, distinct values, places in sorted rows, gather and scatter: properties against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pullback as pb

rows = hnp.arrays(np.int64, st.integers(0, 12), elements=st.integers(-3, 3))


@settings(max_examples=60, deadline=None)
@given(rows, st.booleans())
def test_sort_is_stable(row: np.ndarray, descending: bool) -> None:
    values, indices = pb.tensor(row).sort(descending=descending)
    want = sorted(range(len(row)), key=lambda i: -row[i] if descending else row[i])
    assert indices.tolist() == want
    assert values.tolist() == row[want].tolist()


@settings(max_examples=60, deadline=None)
@given(rows)
def test_unique_is_numpys(row: np.ndarray) -> None:
    ours = pb.unique(pb.tensor(row), return_inverse=True, return_counts=True)
    theirs = np.unique(row, return_inverse=True, return_counts=True)
    for a, b in zip(ours, theirs, strict=True):
        assert a.tolist() == b.tolist()


@settings(max_examples=60, deadline=None)
@given(rows)
def test_runs_rebuild_the_row(row: np.ndarray) -> None:
    values, inverse, counts = pb.unique_consecutive(pb.tensor(row), return_inverse=True, return_counts=True)
    assert values.numpy()[inverse.numpy()].tolist() == row.tolist()
    assert np.repeat(values.numpy(), counts.numpy()).tolist() == row.tolist()


@settings(max_examples=60, deadline=None)
@given(rows, rows, st.booleans())
def test_searchsorted_is_numpys(row: np.ndarray, values: np.ndarray, right: bool) -> None:
    row = np.sort(row)
    found = pb.searchsorted(pb.tensor(row), pb.tensor(values), right=right)
    assert found.tolist() == np.searchsorted(row, values, "right" if right else "left").tolist()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_scatter_add_is_the_transpose_of_gather(data: st.DataObject) -> None:
    index = data.draw(hnp.arrays(np.int64, (2, 3), elements=st.integers(0, 3)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x, g = rng.normal(size=(4, 3)), rng.normal(size=(2, 3))
    places = pb.tensor(index)
    there = (pb.tensor(x).gather(0, places) * pb.tensor(g)).sum()
    back = (pb.zeros(4, 3, dtype=pb.float64).scatter_add(0, places, pb.tensor(g)) * pb.tensor(x)).sum()
    assert there.item() == pytest.approx(back.item())


def test_nan_is_the_largest() -> None:
    x = pb.tensor([3.0, float("nan"), 1.0])
    assert x.sort().indices.tolist() == [2, 0, 1]
    assert x.sort(descending=True).indices.tolist() == [1, 0, 2]
    assert x.topk(1).indices.tolist() == [1]


def test_named_results() -> None:
    result = pb.tensor([2.0, 1.0]).sort()
    assert type(result).__name__ == "sort"
    assert type(result).__module__ == "torch.return_types"
    assert pb.tensor([2.0, 1.0]).topk(1).values.tolist() == [2]


def test_gradient_of_sort_and_topk() -> None:
    x = pb.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, indices = x.sort()
    values.backward(pb.tensor([1.0, 10.0, 100.0]))
    assert x.grad.tolist() == [100, 1, 10]
    assert type(values.grad_fn).__name__ == "SortBackward0"
    assert not indices.requires_grad
    y = pb.tensor([3.0, 1.0, 2.0], requires_grad=True)
    y.topk(2).values.backward(pb.tensor([1.0, 10.0]))
    assert y.grad.tolist() == [1, 0, 10]


def test_embedding_gradients() -> None:
    embedding = pb.nn.functional.embedding
    w = pb.ones(3, 2, requires_grad=True)
    embedding(pb.tensor([0, 0, 2]), w, padding_idx=2).sum().backward()
    assert w.grad.tolist() == [[2, 2], [0, 0], [0, 0]]
    w.grad = None
    embedding(pb.tensor([0, 0, 2]), w, scale_grad_by_freq=True).sum().backward()
    assert w.grad.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_where_alone_gives_places() -> None:
    a, b = pb.where(pb.tensor([[0, 1], [1, 0]]))
    assert (a.tolist(), b.tolist()) == ([0, 1], [1, 0])
