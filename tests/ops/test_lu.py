"""The pullback of solving by factors that are known."""

from __future__ import annotations

from typing import Any

import pullback as torch
from pullback.ops import lu


def test_no_permutation_is_made_for_the_pullback_of_a_solve(monkeypatch: Any) -> None:
    torch.manual_seed(0)
    a = torch.randn(5, 5, dtype=torch.float64)
    y = torch.randn(5, 2, dtype=torch.float64)
    factors, pivots = torch.linalg.lu_factor(a)
    factors.requires_grad_()
    out = torch.linalg.lu_solve(factors, pivots, y)
    permutation, asked = lu._permutation, []
    monkeypatch.setattr(lu, "_permutation", lambda *given: asked.append(given) or permutation(*given))
    (grad,) = torch.autograd.grad(out.sum(), factors)
    assert not asked

    def solved(f: Any) -> Any:
        p, lower, upper = torch.lu_unpack(f, pivots)
        return torch.linalg.solve(p @ lower @ upper, y).sum()

    (expected,) = torch.autograd.grad(solved(factors), factors)
    torch.testing.assert_close(grad, expected)


def test_the_triangles_are_not_taken_apart_for_the_pullback_of_a_solve(monkeypatch: Any) -> None:
    factors, pivots = torch.linalg.lu_factor(torch.randn(5, 5, dtype=torch.float64))
    factors.requires_grad_()
    y = torch.randn(5, 2, dtype=torch.float64)
    out = torch.linalg.lu_solve(factors, pivots, y)
    monkeypatch.setattr(lu, "lu_unpack", None)
    (grad,) = torch.autograd.grad(out.square().sum(), factors)
    assert grad.shape == factors.shape


def test_rows_are_exchanged_without_threads(monkeypatch: Any) -> None:
    # OpenBLAS gives two columns to two threads, however small they are.
    given, find = [], lu.lapack

    def found(name: str, x: Any) -> Any:
        routine = find(name, x)
        return (lambda a, *rest: given.append(a.shape) or routine(a, *rest)) if name == "laswp" else routine

    monkeypatch.setattr(lu, "lapack", found)
    pivots = torch.tensor([[2, 3, 3], [3, 2, 3]], dtype=torch.int32)
    p, _, _ = torch.lu_unpack(torch.eye(3).repeat(2, 1, 1), pivots)
    assert p.tolist() == [[[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 1, 0], [1, 0, 0]]]
    assert given == [(3, 1)] * 2
