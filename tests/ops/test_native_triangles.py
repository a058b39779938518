"""Triangular systems by native code: values, layouts, and what is singular."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import lapack, large, scipy_functions
from pullback.ops import linalg, triangular
from pullback.ops import lu as lu_ops

pytestmark = pytest.mark.skipif(
    not (large.is_there() and scipy_functions.is_installed()), reason="has a native kernel and LAPACK"
)


@pytest.fixture
def without_trsm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no routine of BLAS or LAPACK solve systems or invert."""
    original = lapack.routine

    def routine(name: str, dtype: Any) -> Any:
        assert name not in ("trsm", "getrs", "getri", "potri"), name
        return original(name, dtype)

    monkeypatch.setattr(lapack, "routine", routine)


def _matrix(rows: int, dtype: Any = torch.float64) -> Any:
    torch.manual_seed(rows)
    return torch.randn(rows, rows, dtype=dtype) / rows**0.5 + 2 * torch.eye(rows, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("rows", "sides"), [(40, 40), (55, 70), (91, 24), (130, 25), (530, 3)])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_solutions(dtype: Any, rows: int, sides: int, upper: bool, unit: bool, without_trsm: None) -> None:
    a, b = _matrix(rows, dtype) / (rows if unit else 1), torch.randn(rows, sides, dtype=dtype)
    other = (a.tril if upper else a.triu)(-1 if upper else 1)
    spoilt = a.masked_fill(other != 0, float("nan"))
    triangle = a.triu(1) if upper else a.tril(-1)
    triangle = triangle + (torch.eye(rows, dtype=dtype) if unit else a.diagonal().diag())
    close = {"rtol": 0, "atol": 1e-4 if dtype is torch.float32 else 1e-12}
    for own, right in ((spoilt, b), (spoilt.mT.contiguous().mT, b.mT.contiguous().mT)):
        x = torch.linalg.solve_triangular(own, right, upper=upper, unitriangular=unit)
        assert x.stride() == (1, rows)
        torch.testing.assert_close(triangle @ x, b, **close)
        x = torch.linalg.solve_triangular(own, right.mT, upper=upper, left=False, unitriangular=unit)
        assert x.stride() == (1, sides)
        torch.testing.assert_close(x @ triangle, b.mT, **close)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize(("lead", "other"), [((40,), (40,)), ((5, 8), (8,)), ((40,), ()), ((1, 8), (5, 1))])
def test_stacks(
    lead: Any, other: Any, left: bool, upper: bool, dtype: Any, without_trsm: None, monkeypatch: Any
) -> None:
    torch.manual_seed(0)
    monkeypatch.setattr(triangular, "_substitute", None)
    a = torch.randn(*lead, 7, 7, dtype=dtype) / 4 + 2 * torch.eye(7, dtype=dtype)
    triangle = a.triu() if upper else a.tril()
    b = torch.randn(*other, 7, 9, dtype=dtype) if left else torch.randn(*other, 9, 7, dtype=dtype)
    for right in (b, b.mT.contiguous().mT, b.repeat_interleave(2, -1)[..., ::2]):
        x = torch.linalg.solve_triangular(a, right, upper=upper, left=left)
        assert x.mT.is_contiguous()
        torch.testing.assert_close(triangle @ x if left else x @ triangle, right.expand(x.shape))
    if left:
        matrix = triangle.mT @ triangle if upper else triangle @ triangle.mT
        x = torch.cholesky_inverse(triangle, upper=upper)
        if a.dim() > 2:
            assert x.mT.is_contiguous() and torch.equal(x, x.mT)
            torch.testing.assert_close(matrix @ x, torch.eye(7, dtype=dtype).expand(x.shape))
        x = torch.cholesky_solve(b, triangle, upper=upper)
        torch.testing.assert_close(matrix @ x, b.expand(x.shape), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("rows", [60, 133, 600])
def test_from_factors(rows: int, without_trsm: None) -> None:
    a, eye = _matrix(rows), torch.eye(rows, dtype=torch.float64)
    a = a[torch.randperm(rows)]
    for x in (torch.linalg.inv(a), torch.linalg.solve(a, eye), torch.linalg.solve(a, eye, left=False)):
        torch.testing.assert_close(x @ a, eye)
    factored = torch.linalg.lu_factor(a)
    for left in (False, True):
        for adjoint in (False, True):
            x = torch.linalg.lu_solve(*factored, eye, left=left, adjoint=adjoint)
            torch.testing.assert_close(x @ (a.mT if adjoint else a), eye)
    positive = a @ a.mT
    factor = torch.linalg.cholesky(positive)
    for inverse in (
        torch.cholesky_inverse(factor),
        torch.cholesky_inverse(factor.mT, upper=True),
        torch.cholesky_solve(eye, factor),
    ):
        torch.testing.assert_close(inverse @ positive, eye, rtol=0, atol=1e-10)


@pytest.mark.parametrize("row", [0, 17, 63])
def test_a_pivot_of_zero(row: int) -> None:
    a, b = torch.eye(64), torch.ones(64, 64)
    a[row, row] = 0
    x = torch.linalg.solve_triangular(a, b, upper=True)
    assert (x[row] == float("inf")).all() and (x[row + 1 :] == 1).all()
    with pytest.raises(RuntimeError, match="singular"):
        torch.linalg.inv(a)
    with pytest.raises(RuntimeError, match=f"cholesky_inverse: The diagonal element {row + 1} is zero"):
        torch.cholesky_inverse(a)


@pytest.mark.parametrize("name", ["inv", "slogdet"])
def test_pullbacks_agree_with_smaller_systems(name: str) -> None:
    a = _matrix(72).requires_grad_()
    x = torch.linalg.inv(a).sum() if name == "inv" else torch.linalg.slogdet(a)[1]
    (found,) = torch.autograd.grad(x, a)
    inverse = np.linalg.inv(a.detach().numpy())
    wanted = -np.outer(inverse.sum(0), inverse.sum(1)) if name == "inv" else inverse.T
    torch.testing.assert_close(found, torch.from_numpy(wanted))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(40, 3, 3), (8, 5, 6, 6), (3, 33, 33), (40, 3, 7), (40, 9, 5)])
def test_stacks_are_factored(shape: Any, dtype: Any, monkeypatch: Any) -> None:
    torch.manual_seed(0)
    a = torch.randn(shape, dtype=dtype)
    monkeypatch.setattr(lapack, "routine", None)
    lu, pivots, info = torch.linalg.lu_factor_ex(a)
    assert lu.mT.is_contiguous() and not info.any()
    monkeypatch.undo()
    monkeypatch.setattr(large, "SIZE", large._NEVER)  # no native kernel
    wanted, rows, _ = torch.linalg.lu_factor_ex(a)
    assert torch.equal(pivots, rows) and pivots.dtype == rows.dtype
    torch.testing.assert_close(lu, wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_stacks_are_solved_by_factors_side_by_side(dtype: Any, monkeypatch: Any) -> None:
    torch.manual_seed(0)
    a, b = torch.randn(8, 5, 4, 4, dtype=dtype), torch.randn(5, 4, 3, dtype=dtype)
    factored = torch.linalg.lu_factor(a)
    monkeypatch.setattr(lu_ops, "solve_factored", None)
    monkeypatch.setattr(lu_ops, "lapack", None)
    p, lower, upper = torch.lu_unpack(*factored)
    torch.testing.assert_close(p @ lower @ upper, a)
    more = b.expand(3, 1, 5, 4, 3)
    for adjoint, sides in ((False, b), (True, b), (False, more), (True, more)):
        own = a.mH if adjoint else a
        x = torch.linalg.lu_solve(*factored, sides, adjoint=adjoint)
        assert x.mT.is_contiguous()
        torch.testing.assert_close(own @ x, sides.expand(x.shape))
        x = torch.linalg.lu_solve(*factored, b.mT, left=False, adjoint=adjoint)
        torch.testing.assert_close(x @ own, b.mT.expand(x.shape))


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
def test_a_matrix_of_a_stack_without_factors(value: float, monkeypatch: Any) -> None:
    torch.manual_seed(0)
    a = torch.randn(40, 5, 5)
    a[7, :, 2] = value
    found = torch.linalg.lu_factor_ex(a)
    monkeypatch.setattr(large, "SIZE", large._NEVER)
    for part, wanted in zip(found, torch.linalg.lu_factor_ex(a), strict=True):
        torch.testing.assert_close(part, wanted, equal_nan=True, rtol=1e-3, atol=1e-4)
    assert value or found[2].nonzero().tolist() == [[7]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [3, 17, 40])
def test_stacks_of_systems(rows: int, dtype: Any, monkeypatch: Any) -> None:
    torch.manual_seed(0)
    eye = torch.eye(rows, dtype=dtype)
    a = torch.randn(60000 // rows**3 + 2, 2, rows, rows, dtype=dtype) + rows**0.5 * eye
    b = torch.randn(2, rows, rows + 1, dtype=dtype)
    monkeypatch.setattr(linalg, "by_routine", None)
    monkeypatch.setattr(linalg, "by_numpy", None)
    close = {"rtol": 0, "atol": 1e-3 if dtype is torch.float32 else 1e-10}
    torch.testing.assert_close(a @ torch.linalg.solve(a, b), b.expand(len(a), -1, -1, -1), **close)
    x = torch.linalg.solve(a, b.mT, left=False)
    torch.testing.assert_close(x @ a, b.mT.expand(len(a), -1, -1, -1), **close)
    torch.testing.assert_close(torch.linalg.inv(a) @ a, eye.expand(a.shape), **close)
    monkeypatch.undo()
    a[1, 0, :, 1] = 0
    with pytest.raises(RuntimeError, match=r"\(Batch element 2\): The diagonal element 2 is zero"):
        torch.linalg.inv(a)


@pytest.mark.parametrize("stacks", [(1, 4), (4, 1)])
def test_stack_of_one_is_taken_for_each_of_the_others(stacks: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    a = random.standard_normal((stacks[0], 24, 24)) / 50 + np.eye(24)
    b = random.standard_normal((stacks[1], 24, 9))
    x = torch.linalg.solve_triangular(torch.from_numpy(a), torch.from_numpy(b), upper=True)
    np.testing.assert_allclose(np.triu(a) @ x.numpy(), np.broadcast_to(b, x.shape), atol=1e-12)
