"""Large elementwise loops give what the plain ufunc gives: values, dtype and layout, whatever the operands
look like.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from pullback.array import activations, elementwise, threads


@pytest.fixture(autouse=True)
def quiet_and_on_two_threads():
    before = threads.get_num_threads()
    threads.set_num_threads(2)
    with np.errstate(all="ignore"):
        yield
    threads.set_num_threads(before)


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(elementwise, "_THRESHOLDS", {})
    monkeypatch.setattr(elementwise, "_CHEAP", 1)
    monkeypatch.setattr(elementwise, "_BLOCK_BYTES", 64)


def operands():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((6, 5, 4)).astype("f4"), rng.standard_normal((6, 5, 4)).astype("f4")
    return {
        "one": (np.sin, x),
        "same": (np.add, x, y),
        "turned": (np.add, x.T, y.T),
        "one turned": (np.add, x, np.asfortranarray(y)),
        "rows": (np.multiply, x, y[:1]),
        "columns": (np.multiply, x, y[..., :1]),
        "fewer axes": (np.multiply, x, y[0]),
        "outer": (np.multiply, x[:, :1], y[:1]),
        "number": (np.multiply, x, 2.0),
        "number first": (np.subtract, 1, x),
        "zero-d": (np.multiply, np.array(2.0, "f4"), x),
        "comparison": (np.greater, x, y),
        "strided": (np.add, x[::2], y[::2]),
        "reversed": (np.add, x[::-1], y),
        "mixed dtypes": (np.add, x.astype("f8"), y),
        "unary strided": (np.cos, x[:, ::2]),
        "double": (np.sin, x.astype("f8")),
        "integers": (np.left_shift, np.arange(100), 2),
        "small": (np.add, x[0, 0, :1], y[0, 0, :1]),
        "empty": (np.add, x[:0], y[:0]),
        "half": (np.add, x.astype("f2"), y.astype("f2")),
        "bfloat16": (np.exp, x.astype(ml_dtypes.bfloat16)),
    }


@pytest.mark.parametrize("name", operands())
@pytest.mark.usefixtures("everything_is_large")
def test_apply_is_the_ufunc(name):
    ufunc, *args = operands()[name]
    expected, result = ufunc(*args), elementwise.apply(ufunc, *args)
    assert (result.dtype, result.shape, result.strides) == (expected.dtype, expected.shape, expected.strides)
    np.testing.assert_array_equal(result, expected)
    out = np.empty_like(expected)
    assert elementwise.apply(ufunc, *args, out=out) is out
    np.testing.assert_array_equal(out, expected)


def test_long_rows_are_read_where_they_are():
    rng = np.random.default_rng(0)
    x, mean, column = rng.random((8, 3, 40, 40), "f4"), rng.random((3, 1, 1), "f4"), rng.random((40, 1), "f4")
    buffer = np.getbufsize()
    for y, evenly in ((mean, True), (x[:, :1], True), (column, False), (mean.astype("f8"), False)):
        expected = np.subtract(x, y)
        for _ in range(2):  # as it is planned, and by the plan
            result = elementwise.apply(np.subtract, x, y)
            assert result.dtype == expected.dtype and result.strides == expected.strides
            np.testing.assert_array_equal(result, expected)
        plan = elementwise._PLANS[elementwise._key(np.subtract, (x, y))]
        assert (plan is not elementwise.PLAIN) is evenly
    same = x.copy()
    assert elementwise.apply(np.subtract, same, mean, out=same) is same
    np.testing.assert_array_equal(same, np.subtract(x, mean))
    assert np.getbufsize() == buffer


@pytest.mark.usefixtures("everything_is_large")
def test_in_place_and_overlapping():
    x = np.arange(100.0)
    same = x.copy()
    elementwise.apply(np.add, same, x, out=same)
    np.testing.assert_array_equal(same, 2 * x)
    shifted = x.copy()
    elementwise.apply(np.add, shifted[1:], shifted[:-1], out=shifted[1:])
    np.testing.assert_array_equal(shifted[1:], x[1:] + x[:-1])
    square = np.arange(16.0).reshape(4, 4)
    expected = square + square.T
    elementwise.apply(np.add, square, square.T, out=square)
    np.testing.assert_array_equal(square, expected)


@pytest.mark.usefixtures("everything_is_large")
def test_a_chain_may_write_over_its_input():
    def block(x, y, out, spare):
        np.multiply(y, 3, out=spare)
        np.add(x, spare, out=out)

    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 30, 20))
    expected = x + 3 * y
    for a, b in ((x.copy(), y), (x.T.copy(), y.T.copy()), (np.repeat(x, 2, 1)[:, ::2], y)):
        wanted = expected if a.shape == expected.shape else expected.T
        assert elementwise.blockwise(block, a, b, scratch=1, out=a) is a
        np.testing.assert_array_equal(a, wanted)
    long = np.arange(200.0)
    wanted = long[1:] + 3 * long[:-1]
    np.testing.assert_array_equal(
        elementwise.blockwise(block, long[1:], long[:-1], scratch=1, out=long[1:]), wanted
    )
    single = np.empty(x.shape, "f4")
    elementwise.blockwise(block, x, y, scratch=1, out=single)
    np.testing.assert_array_equal(single, expected.astype("f4"))


def test_large_arrays_really_are_split():
    x = np.random.default_rng(0).standard_normal(1_200_001).astype("f4")
    np.testing.assert_array_equal(elementwise.apply(np.add, x, x), x + x)
    np.testing.assert_allclose(elementwise.apply(np.sin, x), np.sin(x), rtol=1e-6)
    np.testing.assert_allclose(activations.sigmoid(x), 1 / (1 + np.exp(-x.astype("f8"))), rtol=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**31),
    st.sampled_from(["?", "i1", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16]),
    st.sampled_from(["same", "scalar x", "scalar y", "rows", "turned", "strided", "condition row"]),
)
def test_where(seed, dtype, layout):
    rng = np.random.default_rng(seed)
    c = rng.random((40, 30)) < 0.5
    x, y = ((3 * rng.standard_normal((40, 30))).astype(dtype) for _ in range(2))
    if dtype == "f4":
        x[0, :3] = np.nan, np.inf, -0.0
    c, x, y = {
        "same": (c, x, y),
        "scalar x": (c, x[0, 0, ...], y),
        "scalar y": (c, x, y[0, 0, ...]),
        "rows": (c, x[:1], y[:, :1]),
        "turned": (c.T, x.T, y.T),
        "strided": (c[::2], x[::2], y[1::2]),
        "condition row": (c[0], x, y),
    }[layout]
    expected, result = np.where(c, x, y), activations.where(c, x, y)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert result.tobytes() == expected.tobytes()


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def gelu(x):
    return x * math.erfc(-x / math.sqrt(2)) / 2


def gelu_tanh(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def slope(function):
    return lambda x: (function(x + 1e-5) - function(x - 1e-5)) / 2e-5


FUNCTIONS = {
    "sigmoid": (activations.sigmoid, sigmoid),
    "silu": (activations.silu, lambda x: x * sigmoid(x)),
    "log_sigmoid": (activations.log_sigmoid, lambda x: -math.log1p(math.exp(-x))),
    "softplus": (activations.softplus, lambda x: math.log1p(math.exp(x))),
    "softplus 2": (lambda x: activations.softplus(x, 2.0, 3.0),
                   lambda x: x if 2 * x > 3 else math.log1p(math.exp(2 * x)) / 2),
    "erf": (activations.erf, math.erf),
    "gelu": (activations.gelu, gelu),
    "gelu tanh": (lambda x: activations.gelu(x, "tanh"), gelu_tanh),
    "silu'": (activations.silu_derivative, slope(lambda x: x * sigmoid(x))),
    "gelu'": (activations.gelu_derivative, slope(gelu)),
    "gelu tanh'": (lambda x: activations.gelu_derivative(x, "tanh"), slope(gelu_tanh)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_activations(name, dtype):
    function, reference = FUNCTIONS[name]
    x = np.concatenate([np.linspace(-9, 9, 4001), np.logspace(-6, 0, 50)]).astype(dtype)
    expected = np.array([reference(float(v)) for v in x])
    precise = name.endswith("'")
    tolerance = {np.float32: 3e-7, np.float64: 1e-9 if precise else 1e-15}[dtype]
    scale = np.maximum(1, np.abs(expected))
    for array, wanted in ((x, expected), (x.reshape(-1, 1)[::3], expected.reshape(-1, 1)[::3])):
        result = function(array)
        assert (result.dtype, result.shape) == (dtype, array.shape)
        assert np.max(np.abs(result - wanted) / np.maximum(1, np.abs(wanted))) < 4 * tolerance
    assert np.max(np.abs(function(x) - expected) / scale) < 4 * tolerance


def test_erf_in_float32_is_within_three_units_in_the_last_place():
    x = np.concatenate([np.linspace(-4.5, 4.5, 20001), np.logspace(-37, 0, 2000)]).astype("f4")
    expected = np.array([math.erf(v) for v in x])
    error = np.abs(activations.erf(x) - expected) / np.spacing(np.abs(expected).astype("f4"))
    assert error.max() < 3


def test_special_values():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], "f4")
    np.testing.assert_array_equal(activations.erf(x), [0, 0, 1, -1, np.nan])
    assert np.signbit(activations.erf(x)).tolist()[:4] == [False, True, False, True]
    np.testing.assert_array_equal(activations.sigmoid(x), [0.5, 0.5, 1, 0, np.nan])
    np.testing.assert_array_equal(activations.softplus(x)[2:], [np.inf, 0, np.nan])
    np.testing.assert_array_equal(activations.log_sigmoid(x)[2:], [0, -np.inf, np.nan])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_halves_are_rounded_once(name, dtype):
    function, _ = FUNCTIONS[name]
    x = np.linspace(-4, 4, 99).astype(dtype)
    result = function(x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, function(x.astype("f4")).astype(dtype))


def test_sigmoid_of_complex_numbers_and_zero_dimensions():
    z = np.array([1 + 2j, -0.5j])
    np.testing.assert_allclose(activations.sigmoid(z), 1 / (1 + np.exp(-z)))
    result = activations.gelu(np.array(1.0))
    assert (type(result), result.shape) == (np.ndarray, ())


def test_gelu_and_its_derivative_hold_the_normal_distribution_to_float32():
    x = np.linspace(-12, 12, 100_001).astype(np.float32)
    wide = x.astype(np.float64)
    distribution = special.ndtr(wide)
    np.testing.assert_allclose(activations.gelu(x), wide * distribution, rtol=0, atol=7e-7)
    density = np.exp(-wide * wide / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(
        activations.gelu_derivative(x), distribution + wide * density, rtol=0, atol=3e-7
    )
    edges = np.array([0.0, -0.0, np.inf, 1e30, -1e30], np.float32)
    np.testing.assert_array_equal(activations.gelu(edges), np.array([0, 0, np.inf, 1e30, 0], np.float32))
