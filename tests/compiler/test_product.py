"""Generated matrix products are what NumPy's are in float64, for all extents, strides and batches; they touch
nothing else, and do not depend on how they are cut.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

from pullback.array import threads
from pullback.compiler.emit import product
from pullback.compiler.emit.product import Operand, Product, kernel, merged, multiply
from pullback.compiler.runtime.shared_kernels import address

#: Rows, columns, inner: edges of tiles, slices, blocks of k, of rows and of columns.
EXTENTS = [
    (1, 1, 1), (1, 70, 9), (70, 1, 9), (3, 5, 700), (14, 32, 16), (15, 33, 17), (29, 31, 256), (28, 64, 257),
    (64, 10, 128), (170, 40, 600), (337, 17, 31), (9, 1100, 40), (7, 9, 2100),
    (24, 664, 178),
]  # fmt: skip


def matrix(rng, rows, columns, dtype, across, gap=0):
    """A matrix in a frame of NaN, its rows or its columns in one piece."""
    whole = np.full((columns + 2, rows + gap + 2) if across else (rows + 2, columns + gap + 2), np.nan, dtype)
    inner = whole[1:-1, 1 : -1 - gap]
    inner[...] = rng.standard_normal(inner.shape)
    return inner.T if across else inner


def check(a, b, c):
    """Compare c with the product in float64: each term adds one rounding of the sum so far."""
    wide = a.astype(np.float64), b.astype(np.float64)
    bound = np.abs(wide[0]) @ np.abs(wide[1]) * np.finfo(c.dtype).eps * (2 + np.sqrt(a.shape[1]))
    assert np.all(np.abs(c - wide[0] @ wide[1]) <= bound)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("extents", EXTENTS, ids=str)
def test_all_orders_of_the_operands(extents, dtype):
    rows, columns, inner = extents
    rng = np.random.default_rng(0)
    for left in (False, True):
        for right in (False, True):
            a, b = matrix(rng, rows, inner, dtype, left), matrix(rng, inner, columns, dtype, right, gap=3)
            framed = np.full(rows * columns + 2, np.nan, dtype)
            c = framed[1:-1].reshape(rows, columns)
            multiply(a, b, c)
            check(a, b, c)
            assert np.isnan(framed[[0, -1]]).all()


@given(
    st.tuples(*[st.integers(1, 90)] * 3), st.booleans(), st.booleans(), st.integers(0, 5),
    st.sampled_from([np.float32, np.float64]), st.integers(0, 1000),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_any_extents(extents, left, right, gap, dtype, seed):
    rows, columns, inner = extents
    rng = np.random.default_rng(seed)
    a, b = matrix(rng, rows, inner, dtype, left, gap), matrix(rng, inner, columns, dtype, right)
    c = np.full((rows, columns), np.nan, dtype)
    multiply(a, b, c)
    check(a, b, c)


def run(made: Product, a, b, c):
    """All parts one after the other."""
    memory = np.full(made.scratch() // a.itemsize, np.nan, a.dtype)
    words = np.array(made.numbers(), np.int64)
    table = made.table()
    table[:5] = [*map(address, (a, b, c, memory, words))]
    product.parallel(made.code.part, table, made.grid().parts)


@pytest.mark.parametrize("alpha", [1.0, -0.3])
def test_batches(alpha):
    rng = np.random.default_rng(0)
    # Heads of an attention: (batch, head, time, width) that lies as (batch, time, head, width).
    a = rng.standard_normal((3, 20, 4, 9)).astype(np.float32)
    b = rng.standard_normal((3, 25, 4, 9)).astype(np.float32)
    c = np.full((3, 4, 20, 25), np.nan, np.float32)
    left, right = Operand(36, 1, (720, 9)), Operand(1, 36, (900, 9))
    run(Product("float", (20, 25, 9), left, right, (3, 4), alpha), a, b, c)
    expected = alpha * np.einsum("bthw,bshw->bhts", a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


def test_a_matrix_may_be_repeated_in_a_batch():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((5, 6, 7)), rng.standard_normal((7, 8))
    c = np.full((5, 6, 8), np.nan)
    run(Product("double", (6, 8, 7), Operand(7, 1, (0, 42)), Operand(8, 1), (1, 5)), a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-13)


def test_windows_of_a_sequence_are_rows_that_overlap():
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal(60), rng.standard_normal((5, 3))
    c = np.full((56, 3), np.nan)
    run(Product("double", (56, 3, 5), Operand(1, 1), Operand(3, 1)), x, w, c)
    np.testing.assert_allclose(c, np.lib.stride_tricks.sliding_window_view(x, 5) @ w, rtol=1e-13)


def test_neither_threads_nor_parts_change_a_bit(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((400, 400)).astype(np.float32) for _ in range(2))
    results = []
    for most in (1, 3, 8, 16):
        monkeypatch.setattr(product, "_MOST", most)
        product._plain.cache_clear()
        product._best.cache_clear()
        for count in (1, 2, 3, 20):
            before = threads.get_num_threads()
            threads.set_num_threads(count)
            try:
                c = np.full((400, 400), np.nan, np.float32)
                multiply(a, b, c)
            finally:
                threads.set_num_threads(before)
            results.append(c)
    product._plain.cache_clear()
    product._best.cache_clear()
    assert all(np.array_equal(results[0], c) for c in results[1:])


@given(st.tuples(*[st.integers(1, 3000)] * 3), st.integers(1, 200), st.sampled_from(["float", "double"]))
@settings(deadline=None)
def test_parts_are_never_more_than_there_is_to_do(extents, matrices, real):
    made = Product(real, extents, Operand(1, 1), Operand(1, 1), (1, matrices))
    grid = made.grid()
    assert grid.batch <= matrices and grid.parts <= max(product._MOST, threads.get_num_threads())
    assert grid.rows <= extents[0] and grid.columns <= extents[1]


def test_axes_of_a_batch_are_joined_where_all_operands_allow_it():
    assert merged((4, 3, 5), (15, 5, 1), (150, 50, 10)) == ([60], [[1], [10]])
    assert merged((4, 3, 5), (15, 5, 1), (0, 0, 10)) == ([12, 5], [[5, 1], [0, 10]])
    assert merged((1, 1), (7, 8), (9, 10)) == ([], [[], []])


def test_infinities_and_nan_stay_in_their_rows():
    a, b = np.ones((30, 40), np.float32), np.ones((40, 50), np.float32)
    a[3, 5], b[7, 9] = np.inf, np.nan
    c = np.empty((30, 50), np.float32)
    multiply(a, b, c)
    assert np.isnan(c[:, 9]).all() and np.isposinf(np.delete(c[3], 9)).all()
    assert (np.delete(np.delete(c, 3, 0), 9, 1) == 40).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 2, 5, 7, 14, 16, 28, 29, 60])
@pytest.mark.parametrize(("inner", "columns"), [(128, 512), (300, 64), (3, 32), (16, 40)])
def test_products_of_few_rows(rows, inner, columns, dtype):
    rng = np.random.default_rng(rows)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((rows, inner), (inner, columns)))
    for right in (b, np.asfortranarray(b)):
        out = np.full((rows, columns), np.nan, dtype)
        multiply(a, right, out)
        np.testing.assert_allclose(out, a @ b, rtol=1e-4, atol=1e-4)


def test_what_is_read_as_it_lies():
    width = Product("float", (16, 512, 128), Operand(128, 1), Operand(512, 1)).width
    for extents, b, expected in (
        ((16, 16 * width, 128), Operand(16 * width, 1), True),
        ((16, 16 * width + 1, 128), Operand(16 * width + 1, 1), True),
        ((500, 8, 128), Operand(8, 1), True),
        ((16, 16 * width, 128), Operand(1, 128), False),
        ((500, 16 * width, 128), Operand(16 * width, 1), False),
    ):
        assert Product("float", extents, Operand(128, 1), b).reads_as_it_lies is expected


def test_rows_are_read_as_they_lie_where_few_columns_use_them():
    b = Operand(64, 1)
    assert Product("float", (500, 64, 128), Operand(128, 1), b).reads_rows_as_they_lie
    assert not Product("float", (500, 80, 128), Operand(1, 500), Operand(80, 1)).reads_rows_as_they_lie
    assert not Product("float", (500, 6400, 128), Operand(128, 1), Operand(6400, 1)).reads_rows_as_they_lie


def test_the_plainest_processor(plain_processor):
    cached = kernel.compiled, product._plain, product._best
    for function in cached:
        function.cache_clear()
    try:
        for extents in EXTENTS:
            test_all_orders_of_the_operands(extents, np.float32)
        # Two numbers in a register, and four columns in a tile of sums along k.
        test_all_orders_of_the_operands((3, 6, 64), np.float64)
    finally:
        for function in cached:
            function.cache_clear()
