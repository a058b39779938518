"""Linear algebra: derivatives where the generic checks cannot look, and errors."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import pullback as torch
from pullback.autograd import gradcheck, gradgradcheck


def spread(x):
    return x @ x.mT + torch.eye(3, dtype=x.dtype)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_cholesky_of_symmetric_matrices(dtype):
    torch.manual_seed(0)
    x = torch.randn(3, 3, dtype=torch.float64).to(dtype).requires_grad_()

    def factor(x):
        return torch.linalg.cholesky(x @ x.mH + torch.eye(3, dtype=dtype))

    assert gradcheck(factor, (x,), check_forward_ad=True)
    if dtype is torch.float64:
        assert gradgradcheck(factor, (x,))


def test_solve_of_vectors_and_stacks():
    torch.manual_seed(0)
    a = (torch.randn(2, 3, 3, dtype=torch.float64) + 3 * torch.eye(3, dtype=torch.float64)).requires_grad_()
    b = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    x = torch.linalg.solve(a, b)
    np.testing.assert_allclose(
        (a.detach() @ x.detach().unsqueeze(-1)).squeeze(-1).numpy(), b.detach().numpy()
    )
    assert gradcheck(torch.linalg.solve, (a, b))


def test_inverse_names_the_singular_matrix():
    stack = torch.stack([torch.eye(2), torch.tensor([[1.0, 2.0], [2.0, 4.0]])])
    with pytest.raises(torch.linalg.LinAlgError) as caught:
        torch.linalg.inv(stack)
    assert str(caught.value) == (
        "linalg.inv: (Batch element 1): The diagonal element 2 is zero, the inversion could not be completed "
        "because the input matrix is singular."
    )


def test_cholesky_names_the_minor():
    with pytest.raises(RuntimeError, match="the leading minor of order 1 is not positive-definite"):
        torch.linalg.cholesky(-torch.eye(2))


@pytest.mark.parametrize(
    ("equation", "shapes", "strides"),
    [
        ("ij,jk->ik", ((2, 3), (3, 4)), (4, 1)),
        ("ij,jk->ki", ((2, 3), (3, 4)), (2, 1)),
        ("bgij,gh->bhij", ((2, 4, 5, 6), (4, 3)), (90, 1, 18, 3)),
        ("bgij,gh->hbij", ((2, 4, 5, 6), (4, 3)), (60, 30, 6, 1)),
        ("bcn,bdn->bdc", ((2, 3, 4), (2, 5, 4)), (15, 3, 1)),
        ("ij,jkl->kil", ((4, 5), (5, 6, 7)), (7, 42, 1)),
        ("abij,jk->kiba", ((2, 3, 4, 5), (5, 6)), (24, 6, 2, 1)),
        ("ij,jk,kl->li", ((4, 5), (5, 6), (6, 7)), (1, 7)),
    ],
)
def test_einsum_lies_in_memory_as_torchs_does(
    equation: str, shapes: tuple[tuple[int, ...], ...], strides: tuple[int, ...]
) -> None:
    operands = [torch.randn(*shape, dtype=torch.float64) for shape in shapes]
    result = torch.einsum(equation, *operands)
    assert result.stride() == strides
    np.testing.assert_allclose(result.numpy(), np.einsum(equation, *(x.numpy() for x in operands)))


@pytest.mark.parametrize("equation", ["i,j,j->i", "j,i,j->i", "i,j,k,k,j->i"])
def test_einsum_of_many_operands_avoids_the_largest_products(equation: str) -> None:
    x = torch.full((1_000_000,), 0.5)  # from the left, 10¹² products would have to lie in memory
    operands = [x] * (equation.count(",") + 1)
    result = torch.einsum(equation, *operands)
    assert result.shape == (1_000_000,)
    assert result[7].item() == pytest.approx(0.5 * 250_000.0 ** (len(operands) // 2), rel=1e-5)


def test_einsum_of_seven_operands_chooses_pair_after_pair() -> None:
    shapes = pairwise((2, 5, 3, 4, 6, 2, 7, 3))
    operands = [torch.arange(m * n, dtype=torch.float64).reshape(m, n) for m, n in shapes]
    result = torch.einsum("ab,bc,cd,de,ef,fg,gh->ha", *operands)
    expected = np.linalg.multi_dot([x.numpy() for x in operands])
    np.testing.assert_allclose(result.numpy(), expected.T)


@pytest.mark.parametrize("rows, inner, columns", [(0, 0, 0), (3, 0, 4), (0, 3, 0), (0, 2, 3)])
def test_products_of_stacks_without_elements(rows: int, inner: int, columns: int) -> None:
    y = torch.ones(2, rows, inner) @ torch.ones(2, inner, columns)
    assert y.shape == (2, rows, columns) and not y.any()
