"""Products of few rows read their right operand as it lies; a transposed one is laid out once for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.emit.product import Operand, Product, multiply  # it needs llvmlite
from pullback.compiler.lower.lowered import Contraction  # it needs llvmlite


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


def test_a_transposed_operand_of_many_products_is_laid_out_once():
    weight = torch.randn(128, 64, requires_grad=True)

    def step(x: Any) -> Any:
        for _ in range(6):
            x = torch.tanh(x @ weight.t())[:, :64] + x
        return x

    x = torch.randn(4, 64)
    compiled = torch.compile(step)
    assert torch.allclose(compiled(x), step(x), rtol=1e-4, atol=1e-4)
    products = [
        node for node in compiled._native.specializations[0].forward.lowered.nodes
        if isinstance(node, Contraction)
    ]  # fmt: skip
    assert len(products) == 6
    assert len({node.right.buffer.number for node in products}) == 1
    assert all(node.right.strides[1] == 1 for node in products)
