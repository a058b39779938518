"""Convolution kernels equal the defining sum, are adjoint to one another, and do not depend on how they are
cut up.
"""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pullback.array import columns, depthwise, small_conv
from pullback.array.conv import conv, conv_transpose, conv_weight
from pullback.array.geometry import output_size, pad_into, transposed_size


def by_definition(x, w, stride, padding, dilation, groups):
    """The sum over taps, one output place at a time."""
    output = output_size(x.shape[2:], w.shape[2:], stride, padding, dilation)
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    y = np.zeros((len(x), len(w), *output), x.dtype)
    into, out_of = x.shape[1] // groups, len(w) // groups
    for group, place, tap in product(
        range(groups), np.ndindex(*output), np.ndindex(*w.shape[2:])
    ):
        at = [o * s + i * d for o, s, i, d in zip(place, stride, tap, dilation)]
        rows = slice(group * out_of, (group + 1) * out_of)
        channels = slice(group * into, (group + 1) * into)
        factor = w[(rows, slice(None), *tap)]
        y[(slice(None), rows, *place)] += padded[(slice(None), channels, *at)] @ factor.T
    return y


@st.composite
def problems(draw, complex_too=True, groups=(1, 1, 2, 4, 5), images=(0, 1, 2, 9)):
    axes = draw(st.integers(1, 3))

    def numbers(low, high):
        return tuple(draw(st.integers(low, high)) for _ in range(axes))

    groups = draw(st.sampled_from(groups))
    into, out_of = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    kernel, stride, dilation, padding = numbers(1, 3), numbers(1, 3), numbers(1, 2), numbers(0, 4)
    size = numbers(1, 7)
    if any(o < 1 for o in output_size(size, kernel, stride, padding, dilation)):
        size = tuple(n + 6 for n in size)
    images = draw(st.sampled_from(images))
    dtype = draw(st.sampled_from([np.float64, np.complex128] if complex_too else [np.float64]))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    x = rng.standard_normal((images, groups * into, *size)).astype(dtype)
    w = rng.standard_normal((groups * out_of, into, *kernel)).astype(dtype)
    if dtype is np.complex128:
        x, w = x + 1j * rng.standard_normal(x.shape), w + 1j * rng.standard_normal(w.shape)
    return x, w, stride, padding, dilation, groups, rng


@settings(max_examples=120, deadline=None)
@given(problems(), st.booleans(), st.sampled_from([100, 3000, 1 << 20]))
def test_equals_the_definition_however_it_is_cut(problem, threads, block):
    x, w, *rest, rng = problem
    bias = rng.standard_normal(len(w)).astype(x.dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "BLOCK_BYTES", block)
        patch.setattr(columns, "_DEPTH", 0 if block == 100 else 24)
        patch.setattr(depthwise, "_BLOCK_BYTES", block)
        patch.setattr(columns, "WORTH_THREADS", 1 if threads else 10**12)
        patch.setattr(small_conv, "MOST", 0 if threads else 1 << 17)
        patch.setattr(depthwise, "_WORTH_THREADS", 1 if threads else 10**12)
        y = by_definition(x, w, *rest)
        np.testing.assert_allclose(conv(x, w, *rest), y, atol=1e-12)
        y += bias.reshape(-1, *(1,) * (y.ndim - 2))
        np.testing.assert_allclose(conv(x, w, *rest, bias), y, atol=1e-12)


@settings(max_examples=120, deadline=None)
@given(problems(), st.booleans())
def test_the_three_kernels_are_one_trilinear_form(problem, threads):
    x, w, *rest, rng = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "WORTH_THREADS", 1 if threads else 10**12)
        patch.setattr(small_conv, "MOST", 0 if threads else 1 << 17)
        y = conv(x, w, *rest)
        g = rng.standard_normal(y.shape).astype(y.dtype)
        value = np.sum(g * y)
        back, weight = conv_transpose(g, w, *rest, x.shape[2:]), conv_weight(x, g, w.shape[2:], *rest)
    assert back.shape == x.shape
    assert weight.shape == w.shape
    np.testing.assert_allclose(np.sum(back * x), value, atol=1e-9)
    np.testing.assert_allclose(np.sum(weight * w), value, atol=1e-9)


def test_output_padding_of_a_transposed_convolution():
    y, w = np.ones((1, 1, 2)), np.array([[[1.0, 10.0, 100.0]]])
    size = transposed_size((2,), (3,), (3,), (0,), (2,), (1,))
    assert size == (8,)
    np.testing.assert_array_equal(
        conv_transpose(y, w, (3,), (0,), (1,), 1, size)[0, 0], [1, 10, 100, 1, 10, 100, 0, 0]
    )


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_summed_in_float32_and_rounded_once(dtype):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 8, 9, 9)).astype(dtype), rng.standard_normal((4, 8, 3, 3)).astype(dtype)
    rest = ((1, 1), (1, 1), (1, 1), 1)
    y = conv(x, w, *rest)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, conv(x.astype("f4"), w.astype("f4"), *rest).astype(dtype))
    assert conv_weight(x, y, (3, 3), *rest).dtype == dtype
    assert conv_transpose(y, w, *rest, (9, 9)).dtype == dtype


def test_integers_stay_integers():
    x, w = np.arange(16).reshape(1, 1, 4, 4), np.ones((1, 1, 2, 2), int)
    y = conv(x, w, (1, 1), (0, 0), (1, 1), 1)
    np.testing.assert_array_equal(y[0, 0], [[10, 14, 18], [26, 30, 34], [42, 46, 50]])
    assert y.dtype == x.dtype


def test_same_bits_whether_or_not_the_threads_are_busy(monkeypatch: pytest.MonkeyPatch):
    from pullback.array.threads import run_parts

    monkeypatch.setattr(columns, "WORTH_THREADS", 1)
    rng = np.random.default_rng(1)
    x, g = rng.standard_normal((32, 8, 20, 20), "f4"), rng.standard_normal((32, 16, 20, 20), "f4")
    args = ((3, 3), (1, 1), (1, 1), (1, 1), 1)
    alone = conv_weight(x, g, *args)
    nested = [None, None]

    def part(index):
        nested[index] = conv_weight(x, g, *args)

    run_parts(part, 2, uses_blas=True)
    for result in nested:
        np.testing.assert_array_equal(result, alone)


def test_arrays_of_any_strides():
    rng = np.random.default_rng(2)
    x, w = rng.standard_normal((9, 8, 4, 3)).T, rng.standard_normal((3, 3, 4, 5)).T
    assert not x.flags.c_contiguous
    rest = ((1, 1), (1, 0), (1, 1), 1)
    y = conv(x, w, *rest)
    np.testing.assert_allclose(y, by_definition(x, w, *rest), atol=1e-12)
    g = np.broadcast_to(np.ones((1, 1, 1, 1)), y.shape)
    np.testing.assert_allclose(np.sum(conv_weight(x, g, (3, 3), *rest) * w), y.sum())
    np.testing.assert_allclose(np.sum(conv_transpose(g, w, *rest, x.shape[2:]) * x), y.sum())


def test_pad_into_cuts_and_fills():
    x = np.arange(1.0, 6).reshape(1, 1, 5)
    assert pad_into(x, [(0, 0)]).base is not None
    np.testing.assert_array_equal(pad_into(x, [(-1, 2)])[0, 0], [2, 3, 4, 5, 0, 0])
    np.testing.assert_array_equal(pad_into(x, [(2, 0)], (1,), (3,), fill=-1)[0, 0], [-1, 1, 2])
    np.testing.assert_array_equal(pad_into(x, [(0, 9)], (7,), (3,))[0, 0], [0, 0, 0])


def test_infinite_weights_meet_no_padding_on_the_way_back():
    rng = np.random.default_rng(5)
    y, w = rng.standard_normal((1, 2, 5, 5)), rng.standard_normal((2, 3, 3, 3))
    w[0, 0, 0, 0] = np.inf
    x = conv_transpose(y, w, (1, 1), (1, 1), (1, 1), 1, (5, 5))
    assert not np.isnan(x).any()
    # The tap of the corner reaches neither the last row nor the last column.
    assert np.isfinite(x[0, 0, -1]).all()
    assert np.isfinite(x[0, 0, :, -1]).all()
    assert np.isinf(x[0, 0, :-1, :-1]).all()


@pytest.mark.parametrize(
    ("size", "kernel"), [((4096,), (32,)), ((48, 40), (12, 10)), ((8, 12, 16), (4, 4, 8))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_patches_are_multiplied_at_once(size, kernel, dtype, monkeypatch):
    monkeypatch.setattr("pullback.array.conv.WORTH_NATIVE", 1)
    monkeypatch.setattr("pullback.array.columns.Columns", None)
    monkeypatch.setattr("pullback.array.small_conv.MOST", 0)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, *size)).astype(dtype)
    x = x.swapaxes(-1, -2).copy().swapaxes(-1, -2) if len(size) > 1 else x
    w = rng.standard_normal((5, 3, *kernel)).astype(dtype)
    about = (kernel, (0,) * len(size), (1,) * len(size))
    bias = rng.standard_normal(5).astype(dtype)
    expected = by_definition(x, w, *about, 1)
    level = bias.reshape(-1, *(1,) * len(size))
    np.testing.assert_allclose(conv(x, w, *about, 1, bias), expected + level, rtol=1e-3, atol=1e-3)
    g = rng.standard_normal(expected.shape).astype(dtype)
    # ⟨g, conv(x, w)⟩ is linear in w.
    found = conv_weight(x, g, kernel, *about, 1)
    for at in [(0, 0, *(0,) * len(size)), (4, 2, *(k - 1 for k in kernel))]:
        one = np.zeros_like(w)
        one[at] = 1
        wanted = (g * by_definition(x, one, *about, 1)).sum()
        np.testing.assert_allclose(found[at], wanted, rtol=1e-3, atol=1e-3)
