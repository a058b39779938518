"""Pools equal their definitions; the maps that covectors and tangents go through are adjoint to one another.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pullback.array import average_pool, pool
from pullback.array.pool import Windows


def windows_of(x, windows):
    """For each window its places inside the input, in C order, with their tap numbers: {(n, c, *o): [(tap,
    place)]}.
    """
    size, output = x.shape[2:], windows.output(x.shape[2:])
    found = {}
    for place in np.ndindex(*x.shape[:2], *output):
        inside = []
        for tap, offset in enumerate(windows.taps()):
            facts = zip(place[2:], windows.stride, windows.padding, offset)
            at = tuple(o * s - p + t for o, s, p, t in facts)
            if all(0 <= a < n for a, n in zip(at, size)):
                inside.append((tap, at))
        found[place] = inside
    return found


@st.composite
def problems(draw, dilated=True):
    axes = draw(st.integers(1, 3))

    def numbers(low, high):
        return tuple(draw(st.integers(low, high)) for _ in range(axes))

    kernel, stride = numbers(1, 3), numbers(1, 3)
    dilation = numbers(1, 2) if dilated else (1,) * axes
    padding = tuple(draw(st.integers(0, k // 2)) for k in kernel)
    size = tuple(draw(st.integers(d * (k - 1) + 1, d * (k - 1) + 5)) for k, d in zip(kernel, dilation))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    x = rng.standard_normal((2, 2, *size))
    if draw(st.booleans()):
        x = np.round(x)  # ties
    if draw(st.booleans()):
        x[rng.random(x.shape) < 0.3] = -np.inf
    if draw(st.booleans()):
        x[rng.random(x.shape) < 0.1] = np.nan
    return x, Windows(kernel, stride, padding, dilation, draw(st.booleans())), rng


@settings(max_examples=80, deadline=None)
@given(problems(), st.sampled_from([50, 1 << 20]), st.booleans())
def test_max_pool_takes_the_first_largest_and_the_last_nan(problem, block, threads):
    x, windows, _ = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_BLOCK_BYTES", block)
        patch.setattr(pool, "_WORTH_THREADS", 1 if threads else 10**12)
        values, winners = pool.max_pool(x, windows)
        indices = pool.winner_indices(winners, windows, x.shape[2:])
    for place, inside in windows_of(x, windows).items():
        elements = [x[(*place[:2], *at)] for _, at in inside]
        nans = [i for i, e in enumerate(elements) if np.isnan(e)]
        best = nans[-1] if nans else int(np.argmax(elements))
        np.testing.assert_array_equal(values[place], elements[best])
        assert winners[place] == inside[best][0]
        assert indices[place] == np.ravel_multi_index(inside[best][1], x.shape[2:])
    np.testing.assert_array_equal(pool.gather_windows(x, winners, windows), values)
    np.testing.assert_array_equal(pool.gather_planes(x, indices), values)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_scatter_is_the_adjoint_of_gather(problem):
    x, windows, rng = problem
    _, winners = pool.max_pool(x, windows)
    indices = pool.winner_indices(winners, windows, x.shape[2:])
    g, t = rng.standard_normal(winners.shape), rng.standard_normal(x.shape)
    back = pool.scatter_windows(g, winners, windows, x.shape[2:])
    np.testing.assert_allclose(back, pool.scatter_planes(g, indices, x.shape[2:]), atol=1e-12)
    np.testing.assert_allclose(
        np.sum(back * t), np.sum(g * pool.gather_windows(t, winners, windows)), atol=1e-9
    )


def test_an_infinite_covector_reaches_only_its_winner():
    x = np.array([[[1.0, 2, 4, 3]]])
    windows = Windows((2,), (2,), (0,), (1,))
    _, winners = pool.max_pool(x, windows)
    g = np.array([[[np.inf, 1.0]]])
    np.testing.assert_array_equal(pool.scatter_windows(g, winners, windows, (4,))[0, 0], [0, np.inf, 1, 0])


@settings(max_examples=60, deadline=None)
@given(problems(dilated=False), st.booleans(), st.sampled_from([None, 3]))
def test_avg_pool_and_its_adjoint(problem, count_include_pad, divisor):
    x, windows, rng = problem
    x = np.nan_to_num(x, neginf=0.0)
    size = x.shape[2:]
    y = average_pool.avg_pool(x, windows, count_include_pad, divisor)
    for place, inside in windows_of(x, windows).items():
        number = 1
        for o, n, k, s, p in zip(place[2:], size, windows.kernel, windows.stride, windows.padding):
            number *= min(o * s - p + k, n + p) - (o * s - p)
        by = divisor or (number if count_include_pad else len(inside))
        np.testing.assert_allclose(y[place], sum(x[(*place[:2], *at)] for _, at in inside) / by, atol=1e-12)
    g = rng.standard_normal(y.shape)
    back = average_pool.avg_pool_adjoint(g, windows, size, count_include_pad, divisor)
    np.testing.assert_allclose(np.sum(back * x), np.sum(g * y), atol=1e-9)


SIZES = [((8,), (4,)), ((7,), (3,)), ((5, 6), (7, 2)), ((4, 3, 5), (2, 3, 4))]


@pytest.mark.parametrize(("size", "output"), SIZES)
def test_adaptive_pools(size, output):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, *size))
    averages = average_pool.adaptive_avg_pool(x, output)
    values, indices = pool.adaptive_max_pool(x, output)
    for place in np.ndindex(*output):
        box = tuple(
            slice(o * n // m, -(-(o + 1) * n // m)) for o, n, m in zip(place, size, output)
        )
        region = x[(..., *box)].reshape(2, 3, -1)
        np.testing.assert_allclose(averages[(..., *place)], region.mean(-1))
        np.testing.assert_array_equal(values[(..., *place)], region.max(-1))
    np.testing.assert_array_equal(pool.gather_planes(x, indices), values)
    g = rng.standard_normal(averages.shape)
    back = average_pool.adaptive_avg_pool_adjoint(g, size)
    np.testing.assert_allclose(np.sum(back * x), np.sum(g * averages))


@pytest.mark.parametrize("copies", [1, 4000], ids=["few", "many"])
def test_the_last_nan_of_an_adaptive_window_wins(copies):
    x = np.tile([np.nan, 1.0, 2.0, np.nan, 5.0, 7.0, 6.0], (1, copies, 1))
    values, indices = pool.adaptive_max_pool(x, (3,))
    np.testing.assert_array_equal(values, np.tile([np.nan, np.nan, 7.0], (1, copies, 1)))
    np.testing.assert_array_equal(indices, np.tile([0, 3, 5], (1, copies, 1)))
    x[..., 1] = np.nan
    np.testing.assert_array_equal(pool.adaptive_max_pool(x, (3,))[1], np.tile([1, 3, 5], (1, copies, 1)))


@pytest.mark.parametrize("has_nan", [False, True])
def test_what_lies_under_large_windows_is_looked_at_at_once(monkeypatch, has_nan):
    x = np.random.default_rng(0).integers(-9, 9, (4, 48, 64)).astype(np.float32)
    if has_nan:
        x[1, 2, 3] = x[1, 2, 40] = np.nan
    windows = Windows((64,), (64,), (0,), (1,))
    with monkeypatch.context() as patch:
        patch.setattr(pool, "_WINDOWS_A_TAP", 0)
        expected = pool.max_pool(x, windows)
    if not has_nan:
        monkeypatch.setattr(pool, "padded_box", None)
    for found, own in zip(pool.max_pool(x, windows), expected, strict=True):
        np.testing.assert_array_equal(found, own)
        assert found.dtype == own.dtype


def test_ceil_mode_leaves_out_windows_that_start_in_the_padding():
    assert Windows((2,), (2,), (1,), (1,), True).output((3,)) == (2,)
    assert Windows((3,), (2,), (0,), (1,), True).output((4,)) == (2,)
    assert Windows((3,), (2,), (0,), (1,), False).output((4,)) == (1,)


def test_winners_are_bytes_and_halves_keep_their_dtype():
    x = np.arange(16, dtype=np.float16).reshape(1, 1, 4, 4)
    windows = Windows((2, 2), (2, 2), (0, 0), (1, 1))
    values, winners = pool.max_pool(x, windows)
    assert (values.dtype, winners.dtype) == (np.float16, np.uint8)
    assert pool.scatter_windows(values, winners, windows, (4, 4)).dtype == np.float16
    assert average_pool.avg_pool(x, windows).dtype == np.float16


def test_nothing_is_pooled_natively(price):
    # Shapes of results are found with arrays without elements, whenever native code has paid.
    price(0)
    windows = Windows((2, 2), (2, 2), (0, 0), (1, 1), False)
    for _ in range(3):
        values, winners = pool.max_pool(np.empty((0, 3, 12, 12), np.float32), windows)
    assert values.shape == winners.shape == (0, 3, 6, 6)
