"""Resampling: values worked out by hand, properties of the kernels, and the adjoint."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pullback.array.resize import Axis, resize, resize_adjoint


def along(values, **axis):
    x = np.array(values, np.float64).reshape(1, 1, -1)
    return resize(x, [Axis(x.shape[2], **axis)])[0, 0]


@st.composite
def problems(draw):
    axes = []
    for _ in range(draw(st.integers(1, 3))):
        mode = draw(st.sampled_from(["nearest", "nearest-exact", "linear", "cubic"]))
        smooth = mode in ("linear", "cubic")
        size, output = draw(st.integers(2, 9)), draw(st.integers(1, 12))
        scale = draw(st.sampled_from([None, 0.7, 1.9]))
        if scale is not None:
            output = int(size * scale)
        corners, antialias = smooth and draw(st.booleans()), smooth and draw(st.booleans())
        axes.append(Axis(size, output, mode, corners, antialias, scale))
    return axes, np.random.default_rng(draw(st.integers(0, 2**31)))


@settings(max_examples=150, deadline=None)
@given(problems())
def test_the_adjoint_and_constants(problem):
    axes, rng = problem
    x = rng.standard_normal((2, 1, *(axis.size for axis in axes)))
    y = resize(x, axes)
    assert y.shape == (2, 1, *(axis.output for axis in axes))
    g = rng.standard_normal(y.shape)
    np.testing.assert_allclose(np.sum(resize_adjoint(g, axes) * x), np.sum(g * y), atol=1e-9)
    np.testing.assert_allclose(resize(np.ones_like(x), axes), 1, atol=1e-12)


def test_nearest():
    np.testing.assert_array_equal(along([1, 2, 3], output=5, mode="nearest"), [1, 1, 2, 2, 3])
    np.testing.assert_array_equal(along([1, 2, 3], output=5, mode="nearest-exact"), [1, 1, 2, 3, 3])
    np.testing.assert_array_equal(along([1, 2, 3, 4], output=2, mode="nearest"), [1, 3])
    np.testing.assert_array_equal(along([1, 2, 3, 4], output=2, mode="nearest-exact"), [2, 4])


def test_linear():
    np.testing.assert_allclose(along([0, 4], output=4, mode="linear"), [0, 1, 3, 4])
    np.testing.assert_allclose(along([0, 3], output=4, mode="linear", align_corners=True), [0, 1, 2, 3])
    np.testing.assert_allclose(along([5, 7], output=1, mode="linear", align_corners=True), [5])
    ramp = np.arange(8.0)
    np.testing.assert_allclose(along(ramp, output=4, mode="linear"), [0.5, 2.5, 4.5, 6.5])
    np.testing.assert_allclose(along(ramp, output=4, mode="linear", antialias=True)[1:3], [2.5, 4.5])


def test_cubic_stays_near_a_line_away_from_the_ends():
    y = along(np.arange(10.0), output=20, mode="cubic")
    np.testing.assert_allclose(y[5:15], np.arange(5, 15) / 2 - 0.25, atol=0.05)
    np.testing.assert_allclose(along(np.arange(5.0), output=5, mode="cubic"), np.arange(5.0), atol=1e-12)


def test_the_user_s_scale_decides_where_a_place_comes_from():
    np.testing.assert_allclose(along(np.arange(5.0), output=2, mode="linear", scale=0.5), [0.5, 2.5])
    np.testing.assert_allclose(along(np.arange(5.0), output=2, mode="linear"), [0.75, 3.25])


def test_same_size_ignores_the_scale_for_nearest_only_in_two_dimensions():
    axis = Axis(6, 6, "nearest", scale=1.1)
    x = np.arange(6.0)
    assert resize(x.reshape(1, 1, 6), [axis])[0, 0, 1] == 0
    assert resize(x.reshape(1, 1, 6, 1), [axis, Axis(1, 1, "nearest")])[0, 0, 1, 0] == 1


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.complex64])
def test_nearest_takes_any_dtype(dtype):
    x = np.arange(4).reshape(1, 1, 4).astype(dtype)
    y = resize(x, [Axis(4, 8, "nearest")])
    assert y.dtype == dtype
    np.testing.assert_array_equal(y[0, 0], np.repeat(x[0, 0], 2))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_rounded_once(dtype):
    x = np.random.default_rng(0).standard_normal((1, 2, 5, 7)).astype(dtype)
    axes = [Axis(5, 8, "cubic"), Axis(7, 3, "cubic", antialias=True)]
    y = resize(x, axes)
    np.testing.assert_array_equal(y, resize(x.astype("f4"), axes).astype(dtype))
    assert y.dtype == resize_adjoint(y, axes).dtype == dtype
