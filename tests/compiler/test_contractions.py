"""Products with one row or column are loops or kernels, by size and layout, and the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")

#: Below the size of loops, rows and columns that do and do not fill a register, sums of nothing.
SHAPES = [(5, 7), (40, 40), (200, 10), (64, 0)]


def products(a: Any, row: Any, vector: Any, column: Any) -> tuple[Any, ...]:
    wide, tall = a, a.t()
    return (
        row @ wide, torch.addmm(row, row @ wide, tall), wide @ vector, tall @ (wide @ column),
        torch.addmm(column, tall, wide @ column, alpha=0.5), (row @ wide).relu() * 2, wide.sigmoid() @ vector,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_one_row_or_column(shape: tuple[int, int], dtype: Any) -> None:
    rows, columns = shape
    torch.manual_seed(0)
    given = [torch.randn(*s, dtype=dtype) for s in (shape, (1, rows), (columns,), (columns, 1))]
    found = torch.compile(products, fullgraph=True)(*given)
    exact = products(*(t.double() for t in given))
    size = float(torch.finfo(dtype).eps) * (rows + columns) * 40
    for a, b in zip(found, exact, strict=True):
        assert a.dtype == dtype
        np.testing.assert_allclose(a.double(), b, atol=size, rtol=size)


def test_a_linear_layer_of_one_row_is_pulled_back() -> None:
    torch.manual_seed(0)
    layer, x = torch.nn.Linear(70, 20), torch.randn(1, 70, requires_grad=True)

    def step(x: Any) -> Any:
        return torch.autograd.grad(layer(x).tanh().sum(), [x, layer.weight, layer.bias])

    for a, b in zip(torch.compile(step, fullgraph=True)(x), step(x), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize(
    "shapes", [((50, 3), (3, 3)), ((4, 9, 2), (4, 2, 2)), ((2, 2, 4), (2, 4, 30))], ids=str
)
def test_few_columns_and_terms_are_maps(shapes):
    def gradients(a: Any, b: Any) -> Any:
        a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
        return torch.autograd.grad((a @ b).sin().sum(), (a, b))

    given = [torch.randn(shape, dtype=torch.float64) for shape in shapes]
    compiled = torch.compile(gradients, fullgraph=True)
    torch.testing.assert_close(compiled(*given), gradients(*given))
    forward = torch.compile(torch.matmul)
    torch.testing.assert_close(forward(*given), torch.matmul(*given))
    assert "matrix product" not in str(forward.kernels)


def test_a_copy_in_order_is_stored_with_all_its_axes() -> None:
    torch.manual_seed(0)
    heads, x, weight = torch.randn(3, 2, 4, 16, 8), torch.randn(32, 20), torch.randn(96, 20)

    def covectors(heads: Any, x: Any, weight: Any) -> Any:
        flat = heads.permute(1, 3, 0, 2, 4).contiguous().view(2, 16, 96)
        return flat @ weight, flat.view(32, 96).t() @ x, flat.sum((0, 1))

    compiled = torch.compile(covectors, fullgraph=True)
    for a, b in zip(compiled(heads, x, weight), covectors(heads, x, weight), strict=True):
        torch.testing.assert_close(a, b)
    assert "//" not in str(compiled.kernels)


def test_a_copy_that_a_product_reads_where_it_lies_is_not_stored() -> None:
    x, y = torch.randn(40, 30), torch.randn(40, 20)
    compiled = torch.compile(lambda x, y: x.t().contiguous() @ y, fullgraph=True)
    torch.testing.assert_close(compiled(x, y), x.t() @ y)
    assert "kernel over" not in str(compiled.kernels)
