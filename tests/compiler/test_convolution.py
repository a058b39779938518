"""Convolution kernels in native code compute what those of NumPy compute, whatever the shape, the processor
and the number of threads.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

from pullback.array import conv as eager
from pullback.array import large, threads
from pullback.array.geometry import output_size
from pullback.compiler.emit.convolution import Convolution, kernels
from pullback.compiler.emit.convolution.by_channel import is_better
from pullback.compiler.emit.convolution.correlate import Correlation
from pullback.compiler.emit.convolution.places import correlation, transposition
from pullback.compiler.emit.vector_registers import Registers
from pullback.compiler.runtime import shared_kernels

#: x, w, stride, padding, dilation, groups.
CASES = {
    "LeNet's first": ((3, 1, 32, 32), (6, 1, 5, 5), (1, 1), (0, 0), (1, 1), 1),
    "small images": ((9, 32, 8, 8), (48, 32, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "odd sizes": ((2, 5, 17, 23), (7, 5, 4, 3), (1, 1), (2, 1), (1, 1), 1),
    "1×1": ((2, 20, 9, 7), (33, 20, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "1×1 with a stride": ((2, 20, 9, 7), (10, 20, 1, 1), (2, 3), (0, 0), (1, 1), 1),
    "stride 2": ((2, 6, 33, 40), (10, 6, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    "strides 3 and 2": ((1, 3, 33, 40), (4, 3, 7, 6), (3, 2), (3, 2), (1, 1), 1),
    "stride above the kernel": ((2, 3, 20, 50), (4, 3, 2, 2), (3, 3), (1, 0), (1, 1), 1),
    "dilation": ((2, 4, 30, 21), (5, 4, 3, 3), (1, 2), (2, 3), (3, 2), 1),
    "padding above the kernel": ((2, 3, 6, 5), (4, 3, 2, 3), (1, 2), (4, 5), (1, 1), 1),
    "groups": ((2, 12, 14, 18), (8, 3, 3, 3), (1, 1), (1, 1), (1, 1), 4),
    "each channel alone": ((2, 10, 19, 35), (10, 1, 3, 3), (1, 1), (1, 1), (1, 1), 10),
    "two of each channel": ((2, 6, 19, 20), (12, 1, 5, 5), (2, 2), (2, 2), (1, 1), 6),
    "one image": ((1, 16, 40, 40), (40, 16, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "large kernel": ((2, 4, 24, 24), (8, 4, 11, 11), (1, 1), (5, 5), (1, 1), 1),
    "large weight": ((2, 96, 6, 6), (96, 96, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "a weight read once for several": ((19, 128, 6, 6), (130, 128, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "the same without padding": ((21, 512, 4, 4), (300, 512, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "steps of a page": ((2, 256, 8, 4), (16, 256, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "vectors of channels": ((3, 40, 7, 9), (50, 40, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "their strides": ((2, 40, 13, 16), (36, 40, 4, 3), (3, 2), (2, 3), (2, 1), 1),
    "their groups": ((2, 66, 9, 9), (70, 33, 3, 3), (1, 2), (1, 0), (1, 1), 2),
    "their large kernel": ((2, 33, 12, 30), (40, 33, 7, 7), (1, 1), (3, 3), (1, 1), 1),
    "their sequences": ((3, 70, 20), (33, 70, 5), (2,), (2,), (1,), 1),
    "their single places": ((5, 300, 1, 1), (200, 300, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "vectors of channels for the weight": ((5, 7, 9, 8), (48, 7, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "of strides, in several tiles": ((3, 4, 23, 18), (96, 4, 5, 4), (2, 3), (2, 1), (1, 2), 1),
    "of one tap, of groups": ((2, 44, 5, 9), (64, 22, 1, 1), (1, 1), (0, 0), (1, 1), 2),
    "of a large kernel": ((2, 3, 19, 24), (32, 3, 7, 7), (2, 2), (3, 3), (1, 1), 1),
    "of sequences": ((6, 20, 33), (32, 20, 3), (1,), (1,), (1,), 1),
    "sequences": ((3, 12, 200), (9, 12, 5), (1,), (2,), (1,), 1),
    "sequences with a stride": ((3, 4, 201), (6, 4, 5), (3,), (0,), (2,), 1),
}


def check(x_shape, w_shape, stride, padding, dilation, groups, dtype=np.float32):
    """Compare all three kernels, and the bias, with NumPy's."""
    rng = np.random.default_rng(0)
    output = output_size(x_shape[2:], w_shape[2:], stride, padding, dilation)
    x, w = rng.standard_normal(x_shape).astype(dtype), rng.standard_normal(w_shape).astype(dtype)
    y = rng.standard_normal((x_shape[0], w_shape[0], *output)).astype(dtype)
    bias = rng.standard_normal(w_shape[0]).astype(dtype)
    made = Convolution.of((1, *x_shape[1:]), w_shape, (1, *y.shape[1:]), x.dtype, stride, padding, dilation,
                          groups)  # fmt: skip
    results = [np.full_like(a, np.nan) for a in (y, y, x, w)]
    made.forward(x, w, bias, results[0])
    made.forward(x, w, None, results[1])
    made.transpose(y, w, results[2])
    made.weight(x, y, results[3])
    rest = stride, padding, dilation, groups
    expected = [
        eager.conv(x, w, *rest, bias),
        eager.conv(x, w, *rest),
        eager.conv_transpose(y, w, *rest, x_shape[2:]),
        eager.conv_weight(x, y, w_shape[2:], *rest),
    ]
    tolerance = 3e-6 if dtype == np.float32 else 1e-14
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 3 * np.abs(want).max())
    return results


@pytest.fixture
def numpy_only(monkeypatch):
    """Nothing that NumPy's kernels compute is computed in native code."""
    monkeypatch.setattr(large, "source", lambda: None)


@pytest.mark.usefixtures("numpy_only")
@pytest.mark.parametrize("case", CASES)
def test_equals_the_kernels_of_numpy(case):
    check(*CASES[case])


@pytest.mark.usefixtures("numpy_only")
@pytest.mark.parametrize("groups", [1, 2])
def test_one_weight_kernel_serves_all_numbers_of_input_channels(groups):
    rest, names = ((1, 1), (1, 1), (1, 1), groups), set()
    for channels in (1, 6, 21):
        x, w, y = (9, groups * channels, 8, 8), (48, channels, 3, 3), (9, 48, 8, 8)
        check(x, w, *rest)
        names.add(kernels.weight(kernels.shape_of(x, w, y, np.dtype(np.float32), *rest)).name)
    assert len(names) == 1


@pytest.mark.usefixtures("numpy_only")
@pytest.mark.parametrize("case", ["odd sizes", "strides 3 and 2", "groups", "sequences", "of sequences"])
def test_in_double_precision(case):
    check(*CASES[case], dtype=np.float64)


@pytest.mark.usefixtures("numpy_only")
@pytest.mark.parametrize("where", ["x", "w", "y", "all of w"])
@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize(
    "case", ["odd sizes", "strides 3 and 2", "dilation", "padding above the kernel", "groups", "sequences",
     "of strides, in several tiles"],
)
def test_what_is_not_finite_stays_where_it_belongs(case, value, where):
    x_shape, w_shape, stride, padding, dilation, groups = CASES[case]
    rest = stride, padding, dilation, groups
    rng = np.random.default_rng(0)
    output = output_size(x_shape[2:], w_shape[2:], stride, padding, dilation)
    shapes = {"x": x_shape, "w": w_shape, "y": (x_shape[0], w_shape[0], *output)}
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    if where == "all of w":
        arrays["w"][:] = value
    else:
        # The last element of a row and the first of the next.
        columns = arrays[where].shape[-1]
        arrays[where].reshape(-1)[[2 * columns - 1, 2 * columns]] = value
    x, w, y = arrays.values()
    made = Convolution.of((1, *x_shape[1:]), w_shape, (1, *y.shape[1:]), x.dtype, *rest)
    pulled, gathered = np.empty_like(x), np.empty_like(w)
    made.transpose(y, w, pulled)
    made.weight(x, y, gathered)
    expected = (
        (pulled, eager.conv_transpose(y, w, *rest, x_shape[2:])),
        (gathered, eager.conv_weight(x, y, w_shape[2:], *rest)),
    )
    for got, want in expected:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)


@st.composite
def problems(draw):
    def pair(low, high):
        return draw(st.integers(low, high)), draw(st.integers(low, high))

    groups = draw(st.sampled_from([1, 1, 1, 2, 5]))
    kernel, stride, dilation, padding = pair(1, 4), pair(1, 3), pair(1, 3), pair(0, 5)
    size = pair(1, 20)
    if any(o < 1 for o in output_size(size, kernel, stride, padding, dilation)):
        size = size[0] + 9, size[1] + 9
    x = draw(st.integers(1, 4)), groups * draw(st.integers(1, 4)), *size
    w = groups * draw(st.integers(1, 9)), x[1] // groups, *kernel
    return x, w, stride, padding, dilation, groups


@pytest.mark.usefixtures("numpy_only")
def test_equals_the_kernels_of_numpy_for_any_shape():
    @settings(max_examples=6, deadline=None)
    @given(problems())
    def compare(problem):
        check(*problem)

    compare()


@given(st.integers(1, 20), st.integers(1, 4), st.integers(1, 5), st.integers(0, 5), st.integers(1, 3))
def test_places_under_each_tap(size, kernel, stride, padding, dilation):
    (output,) = output_size([size], [kernel], [stride], [padding], [dilation])
    if output < 1:
        return
    axis = correlation(size, output, kernel, stride, padding, dilation)
    for position, tap in product(range(output), axis.taps[0]):
        place = (position + tap.shift) * axis.step + axis.firsts[tap.part]
        assert place == position * stride + tap.number * dilation - padding
        assert position + tap.shift < axis.length
    axis = transposition(output, size, kernel, stride, padding, dilation)
    reached = set()
    for result, taps in enumerate(axis.taps):
        for position in range(*axis.written(result)):
            target = position * len(axis.taps) + result + axis.out_first
            assert 0 <= target < size
            for tap in taps:
                source = (position + tap.shift) * axis.step + axis.firsts[0]
                assert 0 <= position + tap.shift < axis.length
                assert source * stride + tap.number * dilation - padding == target
                reached.add((source, tap.number))
    wanted = {
        (o, i)
        for o, i in product(range(output), range(kernel))
        if 0 <= o * stride + i * dilation - padding < size
    }
    assert wanted <= reached


@pytest.mark.usefixtures("numpy_only")
@pytest.mark.parametrize("case", ["odd sizes", "stride 2", "each channel alone", "large kernel"])
def test_processors_with_neither_wide_registers_nor_fused_operations(case, plain_processor):
    caches = (kernels.correlation, kernels.weight, Convolution.of.__func__)
    for cache in caches:
        cache.cache_clear()
    try:
        check(*CASES[case])
        assert kernels.registers("float") == (16, 4)
    finally:
        for cache in caches:
            cache.cache_clear()


@pytest.mark.parametrize(
    ("inputs", "outputs", "side", "kernel", "by_channel"),
    [
        (128, 128, 4, 3, True),
        (32, 64, 8, 3, True),
        (64, 64, 56, 3, True),
        (16, 32, 16, 3, False),  # few products for a result
        (64, 128, 7, 1, False),
        (512, 31, 7, 3, False),  # few channels
    ],
)
def test_many_channels_of_few_places_are_done_by_vectors_of_channels(
    inputs, outputs, side, kernel, by_channel, monkeypatch
):
    monkeypatch.setattr(kernels, "registers", lambda real: Registers(32, 16))
    x, y, w = (1, inputs, side, side), (1, outputs, side, side), (outputs, inputs, kernel, kernel)
    pads = (kernel // 2,) * 2
    shape = kernels.shape_of(x, w, y, np.dtype(np.float32), (1, 1), pads, (1, 1), 1)
    like = Correlation(shape, kernels.registers("float"), transposed=False, bias=False)
    assert is_better(like) == by_channel


def test_a_turned_weight_is_turned_by_few_parts():
    def parts(coarse, threads):
        made = shared_kernels.Kernel("x", str, size=4, work=1e6, splits=20, splits_first=True, coarse=coarse)
        made._threads = threads
        return made.cut(8).parts

    assert [parts(True, n) for n in (1, 2, 3)] == [1, 4, 6]
    assert [parts(False, n) for n in (1, 2, 3)] == [8, 8, 8]


def test_what_native_code_mended_is_not_computed_again(monkeypatch):
    monkeypatch.setattr(eager, "columns", None)
    monkeypatch.setattr(eager, "_scatter", None)
    rest = (1, 1), (1, 1), (1, 1), 1
    x, w = np.ones((2, 24, 40, 40), np.float32), np.ones((24, 24, 3, 3), np.float32)
    w[0, 0, 0, 0] = np.inf
    pulled = eager.conv_transpose(x, w, *rest, (40, 40))
    assert np.isinf(pulled[:, 0, :-1, :-1]).all()
    # The tap of the corner reaches neither the last row nor the last column.
    assert np.isfinite(pulled[:, 1:]).all() and np.isfinite(pulled[:, 0, -1]).all()
    y = x.copy()
    y[0, 5, 0, 0] = np.inf
    found = eager.conv_weight(x, y, (3, 3), *rest)
    assert np.isinf(found[5, :, 1:, 1:]).all()
    # What lies beside x is zero there.
    assert np.isfinite(np.delete(found, 5, 0)).all() and np.isnan(found[5, :, 0]).all()


def test_large_sums_are_parts_of_the_images_where_there_are_few_splits():
    def cut(splits):
        return shared_kernels.Kernel("x", str, size=4, work=1e6, sums=1 << 17, splits=splits).cut(8)

    assert [(cut(n).rows, cut(n).splits) for n in (1, 2, 4, 20)] == [(4, 1), (2, 2), (1, 4), (1, 8)]


@pytest.mark.usefixtures("numpy_only")
def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    # Parts of any size.
    monkeypatch.setattr(shared_kernels, "_PART", 1000)
    results, cuts = [], []
    before = threads.get_num_threads()
    cases = [CASES[name] for name in ("small images", "one image", "large weight", "groups")]
    caches = (kernels.correlation, kernels.weight)
    try:
        for count in (1, 3, 20):
            threads.set_num_threads(count)
            for cache in caches:
                cache.cache_clear()  # a kernel is cut for the threads that there are when it is made
            results.append([array for case in cases for array in check(*case)])
            made = Convolution.of((1, 32, 8, 8), (96, 32, 3, 3), (1, 96, 8, 8), np.dtype(np.float32),
                                  (1, 1), (1, 1), (1, 1), 1)  # fmt: skip
            forward = kernels.correlation(made.shape, False, True)
            cuts.append([kernels.weight(made.shape).cut(9), forward.cut(9)])
    finally:
        threads.set_num_threads(before)
        for cache in caches:
            cache.cache_clear()
    for one, *others in zip(*results, strict=True):
        for other in others:
            np.testing.assert_array_equal(one, other)
    assert len({cut.rows for cut, _ in cuts}) == 1
    assert all(few.parts <= 9 < 16 <= many.parts for few, many in zip(cuts[1], cuts[2], strict=True))


def test_large_calls_run_in_native_code_and_small_ones_do_not(monkeypatch):
    asked = []

    class Source:
        def convolution(self, *shapes):
            asked.append(shapes)
            return Convolution.of(*shapes)

    monkeypatch.setattr(large, "source", Source)
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 8, 32, 32)), rng.standard_normal((32, 8, 3, 3))
    rest = (1, 1), (1, 1), (1, 1), 1
    y = eager.conv(x, w, *rest)
    assert len(asked) == 1
    eager.conv_transpose(y, w, *rest, (32, 32))
    eager.conv_weight(x, y, (3, 3), *rest)
    assert len(asked) == 3
    eager.conv(x[:, :, :4], w, *rest)
    eager.conv(x[..., None], w[..., None], (1, 1, 1), (1, 1, 0), (1, 1, 1), 1)
    assert len(asked) == 3
    one, taps = rng.standard_normal((2, 1, 48, 48)), rng.standard_normal((1, 1, 7, 7))
    rest_of_one = (1, 1), (3, 3), (1, 1), 1
    eager.conv_weight(one, eager.conv(one, taps, *rest_of_one), (7, 7), *rest_of_one)
    eager.conv_transpose(one, taps, *rest_of_one, (48, 48))
    assert len(asked) == 6, "to gather the elements under 49 taps takes longer than to multiply them"
    monkeypatch.setattr(large, "source", lambda: None)
    np.testing.assert_allclose(eager.conv(x, w, *rest), y, rtol=1e-13, atol=1e-13)


def test_what_would_take_too_long_to_compile_or_too_much_memory_has_no_kernel():
    def of(x, w, y, stride):
        return Convolution.of(x, w, y, np.dtype(np.float32), stride, (0, 0), (1, 1), 1)

    assert of((1, 4, 40, 40), (4, 4, 8, 8), (1, 4, 5, 5), (7, 7)) is None
    assert of((1, 4, 9000, 9000), (4, 4, 1, 1), (1, 4, 9000, 9000), (1, 1)) is None
    assert of((1, 4, 90, 90), (4, 4, 1, 1), (1, 4, 90, 90), (1, 1)) is not None
