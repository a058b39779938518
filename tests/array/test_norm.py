"""Normalisations equal their formulas, and their adjoints equal finite differences, however they are cut up.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pullback.ops.normalize  # noqa: F401  # the native kernels of many rows ask for its ops
from pullback.array import batch_norm, norm


@pytest.fixture(params=[(40, 1), (1 << 20, 10**12)], ids=["small blocks on threads", "one block"])
def cut(request, monkeypatch):
    block, threads = request.param
    for module in (norm, batch_norm):
        monkeypatch.setattr(module, "BLOCK_BYTES", block)
        monkeypatch.setattr(module, "WORTH_THREADS", threads)


def softmax(x, dim):
    e = np.exp(x - x.max(axis=dim, keepdims=True))
    return e / e.sum(axis=dim, keepdims=True)


SHAPES = [
    ((7,), 0), ((4, 6), 1), ((4, 6), 0), ((3, 5, 4), 1),
    ((2, 3, 70), -2), ((3, 0), 1), ((), 0), ((2, 3, 1), 1),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.usefixtures("cut")
def test_softmax_and_its_logarithm(shape, dim):
    rng = np.random.default_rng(0)
    x, g = np.asarray(rng.standard_normal(shape)), np.asarray(rng.standard_normal(shape))
    axis = dim if shape else None
    y = norm.softmax(x, dim=dim)
    assert y.shape == shape
    if x.size == 0:
        return
    np.testing.assert_allclose(y, softmax(x, axis))
    np.testing.assert_allclose(norm.log_softmax(x, dim=dim), np.log(softmax(x, axis)), atol=1e-14)
    np.testing.assert_allclose(
        norm.softmax_adjoint(g, y, dim=dim), y * (g - (g * y).sum(axis, keepdims=True)), atol=1e-14
    )
    np.testing.assert_allclose(
        norm.log_softmax_adjoint(g, np.log(y), dim=dim), g - y * g.sum(axis, keepdims=True), atol=1e-14
    )
    turned = np.asfortranarray(x) if shape else x
    np.testing.assert_array_equal(norm.softmax(turned, dim=dim), y)


def test_softmax_of_infinities():
    x = np.array([[0.0, -np.inf], [-np.inf, -np.inf], [1000.0, 1000.0]])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(norm.softmax(x, dim=1), [[1, 0], [np.nan, np.nan], [0.5, 0.5]])
        np.testing.assert_array_equal(norm.log_softmax(x, dim=1)[0], [0, -np.inf])


def slopes(function, x, g):
    """Σ g · ∂function/∂x by central differences."""
    result = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-5
        result[place] = np.sum(g * (function(x + step) - function(x - step))) / 2e-5
    return result


@pytest.mark.parametrize(("shape", "axes"), [((4, 6), 1), ((3, 4), 2), ((2, 3, 2, 2), 2), ((5,), 1)])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.usefixtures("cut")
def test_layer_norm(shape, axes, affine):
    rng = np.random.default_rng(0)
    inner = shape[len(shape) - axes :]
    x, g = rng.standard_normal(shape), rng.standard_normal(shape)
    w, b = (rng.standard_normal(inner), rng.standard_normal(inner)) if affine else (None, None)
    dims = tuple(range(len(shape) - axes, len(shape)))

    def reference(x):
        z = (x - x.mean(dims, keepdims=True)) / np.sqrt(x.var(dims, keepdims=True) + 0.1)
        return z * (1 if w is None else w) + (0 if b is None else b)

    y, mean, rstd = norm.layer_norm(x, w, b, axes, 0.1)
    np.testing.assert_allclose(y, reference(x), atol=1e-14)
    assert mean.shape == rstd.shape == (*shape[: len(shape) - axes], *(1,) * axes)
    back, weight, bias = norm.layer_norm_adjoint(g, x, mean, rstd, w, axes)
    np.testing.assert_allclose(back, slopes(reference, x, g), atol=1e-8)
    outer = tuple(range(len(shape) - axes))
    np.testing.assert_allclose(weight, (g * (x - mean) * rstd).sum(outer), atol=1e-12)
    np.testing.assert_allclose(bias, g.sum(outer), atol=1e-12)


def test_layer_norm_of_many_rows():
    rng = np.random.default_rng(0)
    x, g = rng.random((20_000, 3), np.float32), rng.random((20_000, 3), np.float32)
    _, mean, rstd = norm.layer_norm(x, None, None, 1, 1e-5)
    _, weight, bias = norm.layer_norm_adjoint(g, x, mean, rstd, None, 1)
    wide = g.astype(np.float64)
    np.testing.assert_allclose(bias, wide.sum(0), rtol=5e-7)
    z = (x.astype(np.float64) - mean) * rstd
    np.testing.assert_allclose(weight, (wide * z).sum(0), atol=5e-7 * np.abs(wide * z).sum(0).max())


@pytest.mark.parametrize("shape", [(4, 3), (3, 2, 5), (2, 3, 2, 2)])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.usefixtures("cut")
def test_batch_norm(shape, affine, training):
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal(shape), rng.standard_normal(shape)
    channels, lie = shape[1], (1, -1, *(1,) * (len(shape) - 2))
    w, b = (rng.standard_normal(channels), rng.standard_normal(channels)) if affine else (None, None)
    dims = (0, *range(2, len(shape)))
    fixed = rng.standard_normal(channels), rng.random(channels)
    mean, variance = batch_norm.batch_statistics(x) if training else fixed
    if training:
        np.testing.assert_allclose((mean, variance), (x.mean(dims), x.var(dims)), atol=1e-14)
    invstd = 1 / np.sqrt(variance + 0.1)

    def reference(x):
        m, v = (x.mean(dims), x.var(dims)) if training else fixed
        z = (x - m.reshape(lie)) / np.sqrt(v.reshape(lie) + 0.1)
        return z * (1 if w is None else w.reshape(lie)) + (0 if b is None else b.reshape(lie))

    np.testing.assert_allclose(batch_norm.batch_norm(x, mean, invstd, w, b), reference(x), atol=1e-12)
    back, weight, bias = batch_norm.batch_norm_adjoint(g, x, mean, invstd, w, training)
    np.testing.assert_allclose(back, slopes(reference, x, g), atol=1e-8)
    z = (x - mean.reshape(lie)) * invstd.reshape(lie)
    np.testing.assert_allclose(weight, (g * z).sum(dims), atol=1e-12)
    np.testing.assert_allclose(bias, g.sum(dims), atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 3), (1, 3, 2, 2), (3, 2, 5), (700, 8), (1, 3, 50, 40), (8, 58, 8, 8)])
def test_running_statistics_give_the_same_bits(shape):
    rng = np.random.default_rng(0)
    x, channels = rng.standard_normal(shape, np.float32), shape[1]
    mean, var, weight, bias = rng.random((4, channels), np.float32)
    invstd = np.reciprocal(np.sqrt(var + np.float32(0.1)))
    few = batch_norm.batch_norm_of_running(x, weight, bias, mean, var, 0.1)
    np.testing.assert_array_equal(few, batch_norm.batch_norm(x, mean, invstd, weight, bias))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_halves(dtype):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 6)).astype(dtype)
    w = rng.standard_normal(6).astype(dtype)
    wide, wide_w = x.astype("f4"), w.astype("f4")
    np.testing.assert_array_equal(norm.softmax(x, dim=1), norm.softmax(wide, dim=1).astype(dtype))
    y, mean, rstd = norm.layer_norm(x, w, None, 1, 1e-5)
    assert (y.dtype, mean.dtype, rstd.dtype) == (dtype, np.float32, np.float32)
    np.testing.assert_array_equal(y, norm.layer_norm(wide, wide_w, None, 1, 1e-5)[0].astype(dtype))
    assert {a.dtype for a in norm.layer_norm_adjoint(x, x, mean, rstd, w, 1)} == {np.dtype(dtype)}
    statistics = batch_norm.batch_statistics(x)
    assert statistics[0].dtype == np.float32
    assert batch_norm.batch_norm(x, *statistics, w, w).dtype == dtype
    assert {a.dtype for a in batch_norm.batch_norm_adjoint(x, x, *statistics, w, True)} == {np.dtype(dtype)}


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 40), st.integers(0, 2**31))
def test_rows_of_a_softmax_do_not_know_of_one_another(rows, length, seed):
    x = 10 * np.random.default_rng(seed).standard_normal((rows, length))
    y = norm.softmax(x, dim=1)
    np.testing.assert_allclose(y.sum(axis=1), 1)
    for row in range(rows):
        np.testing.assert_allclose(norm.softmax(x[row], dim=0), y[row], rtol=1e-12)
