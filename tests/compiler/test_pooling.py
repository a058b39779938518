"""Maximum pools and batch norm in native code compute what NumPy's kernels compute."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

from pullback.array import batch_norm, large, pool
from pullback.array.pool import Windows
from pullback.compiler.emit.convolution import Channels, Pools


@pytest.fixture(autouse=True)
def numpy_only(monkeypatch):
    """Nothing that NumPy's kernels compute is computed in native code."""
    monkeypatch.setattr(large, "source", lambda: None)


def check(size, windows, dtype=np.float32, values=None):
    """Compare both kernels of a maximum pool."""
    rng = np.random.default_rng(0)
    shape = (2, 3, *size)
    x = (rng.standard_normal(shape) if values is None else rng.choice(values, shape)).astype(dtype)
    expected, winners = pool.max_pool(x, windows)
    made = Pools.of(size, expected.shape[2:], x.dtype, windows.kernel, windows.stride, windows.padding,
                    windows.dilation)  # fmt: skip
    assert made is not None
    largest, found = np.full_like(expected, 7), np.full_like(winners, 99)
    made.maxima(x, largest, found)
    np.testing.assert_array_equal(largest, expected)
    np.testing.assert_array_equal(found, winners)
    y, target = rng.standard_normal(expected.shape).astype(dtype), np.full_like(x, np.nan)
    for covector in (y, y * -0.0):
        made.spread(covector, winners, target)
        wanted = pool.scatter_windows(covector, winners, windows, size)
        assert target.tobytes() == wanted.tobytes()  # a plan of the one would not replace the other


WINDOWS = {
    "apart": ((24, 40), Windows((2, 2), (2, 2), (0, 0), (1, 1))),
    "with a rest": ((9, 35), Windows((2, 2), (2, 2), (0, 0), (1, 1))),
    "overlapping": ((17, 18), Windows((3, 3), (2, 2), (1, 1), (1, 1))),
    "side by side": ((8, 21), Windows((3, 2), (1, 1), (1, 1), (1, 1))),
    "dilated": ((19, 18), Windows((3, 2), (2, 3), (1, 1), (2, 3))),
    "rounded up": ((10, 11), Windows((3, 3), (3, 2), (1, 0), (1, 1), True)),
    "long rows": ((3, 333), Windows((1, 3), (1, 3), (0, 1), (1, 1))),
    "of sequences": ((50,), Windows((4,), (3,), (2,), (1,))),
}


@pytest.mark.parametrize("case", WINDOWS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_maximum_pool(case, dtype):
    check(*WINDOWS[case], dtype=dtype)


@pytest.mark.parametrize("case", ["apart", "overlapping", "rounded up"])
def test_maximum_pool_of_numbers_that_are_equal_infinite_or_unknown(case):
    check(*WINDOWS[case], values=[1.0, 0.0, -0.0, np.nan, np.inf, -np.inf, -np.inf, -np.inf])


@pytest.mark.parametrize("case", ["with a rest", "overlapping"])
def test_processors_with_neither_wide_registers_nor_fused_operations(case, plain_processor):
    from pullback.compiler.emit.convolution import pooling

    caches = (Pools.of.__func__, pooling.maxima, pooling.spread)
    for cache in caches:
        cache.cache_clear()
    try:
        check(*WINDOWS[case])
    finally:
        for cache in caches:
            cache.cache_clear()


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_maximum_pool_of_any_windows(data):
    def pair(low, high):
        return data.draw(st.integers(low, high)), data.draw(st.integers(low, high))

    kernel = pair(1, 4)
    padding = tuple(data.draw(st.integers(0, k // 2)) for k in kernel)
    windows = Windows(kernel, pair(1, 3), padding, pair(1, 2), data.draw(st.booleans()))
    size = pair(8, 40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "source", lambda: None)
        check(size, windows)


@pytest.mark.parametrize("shape", [(4, 3, 100), (8, 5, 64), (3, 2, 7), (2, 4, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm(shape, dtype, affine):
    rng = np.random.default_rng(0)
    x = (3 * rng.standard_normal(shape) + 5).astype(dtype)
    g = rng.standard_normal(shape).astype(dtype)
    weight, bias = (rng.standard_normal(shape[1]).astype(dtype) if affine else None for _ in range(2))
    made = Channels.of(*shape, x.dtype)
    expected = batch_norm.batch_norm_in_training(x, weight, bias, 1e-5)
    results = [np.full_like(v, np.nan) for v in expected]
    made.forward(x, weight, bias, 1e-5, results)
    tolerance = 2e-5 if dtype == np.float32 else 1e-12
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    _, mean, invstd, _ = expected
    expected = batch_norm.batch_norm_adjoint(g, x, mean, invstd, weight, True)
    results = [np.full_like(v, np.nan) for v in expected]
    made.backward(g, x, weight, mean, invstd, results)
    for got, want in zip(results, expected, strict=True):
        scale = np.abs(want).max()
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=5 * tolerance * max(scale, 1))


def test_large_calls_run_in_native_code(monkeypatch):
    asked = []

    class Source:
        def pools(self, *shapes):
            asked.append("pools")
            return Pools.of(*shapes)

        def channels(self, *shape):
            asked.append("channels")
            return Channels.of(*shape)

    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 16, 32, 32))
    windows = Windows((2, 2), (2, 2), (0, 0), (1, 1))

    def everything(x):
        values, winners = pool.max_pool(x, windows)
        out, mean, invstd, var = batch_norm.batch_norm_in_training(x, None, None, 1e-5)
        spread = pool.scatter_windows(values, winners, windows, x.shape[2:])
        adjoint = batch_norm.batch_norm_adjoint(out, x, mean, invstd, None, True)
        return [values, winners, spread, out, var, *adjoint]

    plain = everything(x)
    monkeypatch.setattr(large, "source", Source)
    for got, want in zip(everything(x), plain, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-9)
    assert asked == ["pools", "channels", "pools", "channels"]
    everything(x[:1, :2])
    assert len(asked) == 4
