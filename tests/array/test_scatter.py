"""Scatters equal a loop over the elements, for every dtype class, shape and reduction."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pullback as torch
from pullback.array import scatter


@st.composite
def problems(draw):
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    dim = draw(st.integers(0, len(shape) - 1))
    index_shape = tuple(draw(st.integers(0, 6 if a == dim else n)) for a, n in enumerate(shape))
    source_shape = tuple(n + draw(st.integers(0, 1)) for n in index_shape)
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    dtype = draw(st.sampled_from([np.float64, np.int64, np.complex128]))
    index = rng.integers(0, shape[dim], index_shape)
    base, source = (np.round(4 * rng.standard_normal(s)).astype(dtype) for s in (shape, source_shape))
    return base, dim, index, source


def targets(index, dim):
    for place in np.ndindex(*index.shape):
        yield place, (*place[:dim], int(index[place]), *place[dim + 1 :])


@settings(max_examples=100, deadline=None)
@given(problems())
def test_gather_and_scatter_add(problem):
    base, dim, index, source = problem
    expected = base.copy()
    taken = np.zeros(index.shape, base.dtype)
    for place, target in targets(index, dim):
        expected[target] += source[place]
        taken[place] = base[target]
    np.testing.assert_array_equal(scatter.scatter_add(base, dim, index, source), expected)
    np.testing.assert_array_equal(scatter.gather(base, dim, index), taken)
    np.testing.assert_array_equal(scatter.gather(base.T.copy().T, dim, index), taken)


@settings(max_examples=100, deadline=None)
@given(problems(), st.sampled_from(["sum", "prod", "mean", "amax", "amin"]), st.booleans())
def test_scatter_reduce(problem, reduce, include_self):
    base, dim, index, source = problem
    if base.dtype.kind == "c":
        base, source = base.real, source.real
    fallen: dict[tuple[int, ...], list] = {}
    for place, target in targets(index, dim):
        fallen.setdefault(target, [base[target]] if include_self else []).append(source[place])
    expected = base.copy()
    whole = base.dtype.kind == "i"
    for target, values in fallen.items():
        mean = sum(values) // len(values) if whole else sum(values) / len(values)
        expected[target] = {
            "sum": np.sum, "prod": np.prod, "amax": np.max, "amin": np.min, "mean": lambda _, m=mean: m
        }[reduce](values)  # fmt: skip
    result = scatter.scatter_reduce(base, dim, index, source, reduce, include_self)
    assert result.dtype == base.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.parametrize("row", [(), (3,), (20,), (4, 9)])
@pytest.mark.parametrize("dtype", ["f4", "f2", ml_dtypes.bfloat16, "i8", "c8", "?"])
def test_sum_rows(row, dtype):
    rng = np.random.default_rng(0)
    values, index = rng.integers(0, 3, (30, *row)).astype(dtype), rng.integers(0, 7, 30)
    expected = np.zeros((7, *row), np.complex128)
    np.add.at(expected, index, values.astype(np.complex128))
    result = scatter.sum_rows(values, index, 7)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.astype(complex), expected if dtype != "?" else expected != 0)
    dim = min(1, len(row))
    zeros = np.zeros((*row[:dim], 7, *row[dim:]), dtype)
    along = scatter.index_add(zeros, dim, index, np.moveaxis(values, 0, dim))
    np.testing.assert_array_equal(np.moveaxis(along, dim, 0), result)


KEYS = [
    (np.array([0, 1, -1, 1]),),
    (np.array([[0, 1], [1, 1]]), np.array([2, -1])),
    (slice(None), np.array([1, 1, 0])),
    (np.array([True, False, True]),),
    (Ellipsis, np.array([0, 0])),
    (1, np.array([0, 0])),
    (None, np.array([0, 0]), slice(1, 3)),
    (np.array([0, 0]), slice(None), np.array([1, 1])),
    (np.array([], int),),
]


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_put_sum_is_add_at(key):
    shape = (3, 4, 20)
    expected = np.zeros(shape)
    values = np.random.default_rng(0).standard_normal(expected[key].shape)
    np.add.at(expected, key, values)
    np.testing.assert_allclose(scatter.put_sum(shape, key, values), expected)
    np.testing.assert_allclose(
        scatter.put_sum(shape, key, np.array(2.0)), scatter.put_sum(shape, key, np.full(values.shape, 2.0))
    )


def test_zero_dimensions():
    index, source = np.array(0), np.array(3.0)
    assert scatter.scatter_add(np.array(1.0), 0, index, source) == 4
    assert scatter.gather(np.array(5.0), 0, index) == 5
    assert scatter.scatter_reduce(np.array(2.0), 0, index, source, "prod") == 6


@pytest.mark.parametrize("wrong", [-1, 3])
def test_an_index_out_of_bounds_is_named(wrong):
    message = f"index {wrong} is out of bounds for dimension 0 with size 3"
    with pytest.raises(RuntimeError, match=message):
        scatter.gather(np.zeros(3), 0, np.array([wrong]))
    with pytest.raises(RuntimeError, match=message):
        scatter.scatter_add(np.zeros(3), 0, np.array([wrong]), np.zeros(1))


def test_nan_reaches_a_maximum():
    result = scatter.scatter_reduce(np.zeros(3), 0, np.array([0, 0, 1]), np.array([np.nan, 1, 2]), "amax")
    np.testing.assert_array_equal(result, [np.nan, 2, 0])


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_large_gathers_and_scatters_go_by_stretches(dim):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((70, 60, 90)).astype(np.float32)
    index = rng.integers(0, x.shape[dim], x.shape)
    np.testing.assert_array_equal(scatter.gather(x, dim, index), np.take_along_axis(x, index, dim))
    expected = x.astype(np.float64)
    places = list(np.indices(x.shape))
    places[dim] = index
    np.add.at(expected, tuple(places), x)
    np.testing.assert_allclose(scatter.scatter_add(x, dim, index, x), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_large_slices_are_taken_side_by_side(dim):
    x = np.random.default_rng(0).standard_normal((70, 60, 90))[:, ::-1]
    index = np.random.default_rng(1).integers(0, x.shape[dim], 80)
    np.testing.assert_array_equal(scatter.take_slices(x, index, dim), np.take(x, index, dim))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x, i: x.gather(1, i), RuntimeError, "index 5 is out of bounds for dimension 1 with size 4"),
        (
            lambda x, i: x.scatter(0, i, 1), RuntimeError,
            "index 5 is out of bounds for dimension 0 with size 4",
        ),
        (lambda x, i: x.index_select(0, i[0]), IndexError, "index out of range in self"),
        (
            lambda x, i: x.index_select(1, i[0]), RuntimeError,
            "INDICES element is out of DATA bounds, id=5 axis_dim=4",
        ),
        (
            lambda x, i: x.index_copy(0, -i[0, :1] - 2, x[:1]), IndexError,
            "index_copy_(): index -2 is out of bounds for dimension 0 with size 4",
        ),
    ],
)  # fmt: skip
def test_the_first_index_outside_is_named(call: Any, kind: type[Exception], text: str) -> None:
    """As recorded from torch 2.13."""
    with pytest.raises(kind) as caught:
        call(torch.ones(4, 4), torch.tensor([[0, 5], [9, -3]]))
    assert str(caught.value) == text


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31))
def test_sums_at_places_of_axes_behind_whole_ones(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 5, 4))
    lead, count = rng.integers(0, 3), rng.integers(1, 3)
    where = [rng.integers(-n, n, (3, 2)) for n in shape[lead : lead + count]]
    key = (*(slice(None),) * lead, *where)
    x = np.round(4 * rng.standard_normal(shape))
    values = np.round(4 * rng.standard_normal(x[key].shape))
    expected = x.copy()
    np.add.at(expected, key, values)
    assert np.array_equal(scatter.add_put(x, key, values), expected)
