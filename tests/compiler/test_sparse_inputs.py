"""Sparse tensors that a compiled function finds: values are inputs, places a part of the program."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def _matrix(layout: str = "coo") -> Any:
    torch.manual_seed(0)
    made = torch.sparse_coo_tensor(torch.randint(0, 9, (2, 20)), torch.rand(20), (9, 9)).coalesce()
    return made if layout == "coo" else made.to_sparse_csr()


FUNCTIONS = {
    "a product": lambda a, w: torch.sparse.mm(a, w).exp().sum(),
    "an operator": lambda a, w: (a @ w).square().mean(),
    "a vector": lambda a, w: (a.mv(w[:, 0]) * w[:, 1]).sum(),
    "transposed": lambda a, w: (a.t() @ w).tanh().sum(),
    "with a sum": lambda a, w: torch.sparse.addmm(w, a, w.detach(), beta=2.0).square().sum(),
    "its values": lambda a, w: (a.values().sum() * w).sum(),
    "dense": lambda a, w: (a.to_dense() * w.sum()).square().sum(),
    "scaled": lambda a, w: torch.sparse.mm(a * 2.0, w).square().sum(),
}


@pytest.mark.parametrize("layout", ["coo", "csr"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_eager_gives(name: str, layout: str) -> None:
    a, w, function = _matrix(layout), torch.randn(9, 4, requires_grad=True), FUNCTIONS[name]

    def step() -> Any:
        loss = function(a, w)
        loss.backward()
        return loss

    compiled = torch.compile(step)
    for _ in range(3):
        w.grad = None
        expected = step()
        grad, w.grad = w.grad, None
        torch.testing.assert_close(compiled(), expected)
        torch.testing.assert_close(w.grad, grad)
        a.values().mul_(1.5)
    assert compiled._native.eager_because is None


def _compiled(function: Any) -> Any:
    return torch.compile(function, fullgraph=True)


def test_other_places_are_another_program() -> None:
    a, x = _matrix(), torch.randn(9, 3)
    compiled = _compiled(lambda: a @ x)
    for _ in range(2):
        torch.testing.assert_close(compiled(), a.to_dense() @ x)
    a.indices()[1] = 8 - a.indices()[1]
    torch.testing.assert_close(compiled(), a.to_dense() @ x)


def test_another_matrix_is_another_program() -> None:
    held, x = {"a": _matrix()}, torch.randn(9, 3)
    compiled = _compiled(lambda: held["a"] @ x)
    for _ in range(3):
        torch.testing.assert_close(compiled(), held["a"].to_dense() @ x)
        held["a"] = held["a"].t().coalesce() * 2


def test_a_matrix_that_is_changed_runs_eagerly() -> None:
    a, b = _matrix(), _matrix()

    def step(a: Any) -> Any:
        a.mul_(2)
        return (a @ torch.ones(9, 1)).sum()

    compiled = torch.compile(lambda: step(a))
    with pytest.warns(UserWarning, match="a sparse tensor is changed"):
        torch.testing.assert_close(compiled(), step(b))
    torch.testing.assert_close(compiled(), step(b))
    torch.testing.assert_close(a.to_dense(), b.to_dense())


def test_a_matrix_that_requires_grad_runs_eagerly() -> None:
    a, x = _matrix().requires_grad_(), torch.randn(9, 3)
    compiled = torch.compile(lambda: torch.sparse.mm(a, x).sum())
    with pytest.warns(UserWarning, match="a sparse tensor that requires grad"):
        compiled().backward()
    torch.testing.assert_close(a.grad.to_dense(), (a.detach().to_dense() != 0) * x.sum(1))


# --- those that the function makes --------------------------------------------------------------------------

_PLACES = torch.tensor([[0, 1, 2, 0], [1, 2, 0, 0]])
_STARTS, _COLUMNS = torch.tensor([0, 2, 3, 4]), torch.tensor([0, 1, 2, 0])
MADE = {
    "found": lambda at, v, x: torch.sparse.mm(torch.sparse_coo_tensor(_PLACES, v, (3, 3)), x).exp().sum(),
    "given": lambda at, v, x: torch.sparse.mm(torch.sparse_coo_tensor(at, v, (3, 3)), x).exp().sum(),
    "by name": lambda at, v, x: (torch.sparse_coo_tensor(indices=at, values=v, size=(3, 3)) @ x).exp().sum(),
    "without a size": lambda at, v, x: (torch.sparse_coo_tensor(at, v).t() @ x).exp().sum(),
    "worked out": lambda at, v, x: (torch.sparse_coo_tensor(2 - at, v, (3, 3)) @ x).exp().sum(),
    "parts": lambda at, v, x: (
        (a := torch.sparse_coo_tensor(at, v, (3, 3)).coalesce()).values() * x[a.indices()[0], 0]
    ).sum(),
    "softmax": lambda at, v, x: (
        torch.sparse.softmax(torch.sparse_coo_tensor(at, v, (3, 3)), dim=1) @ x
    ).square().sum(),
    "rows": lambda at, v, x: (torch.sparse_csr_tensor(_STARTS, _COLUMNS, v, (3, 3)) @ x).exp().sum(),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_one_that_the_function_makes_gives_what_eager_gives(name: str) -> None:
    torch.manual_seed(0)
    v, x = torch.randn(4, requires_grad=True), torch.randn(3, 2, requires_grad=True)
    function = MADE[name]
    compiled = torch.compile(lambda at: torch.autograd.grad(function(at, v, x), (v, x)))
    for _ in range(3):
        expected = torch.autograd.grad(function(_PLACES, v, x), (v, x))
        torch.testing.assert_close(compiled(_PLACES), expected)
    assert len(compiled._native.specializations) == 1


def test_places_are_compared_by_what_they_hold() -> None:
    def step(at: Any, v: Any, x: Any) -> Any:
        return torch.sparse.mm(torch.sparse_coo_tensor(at, v, (3, 3)), x)

    compiled = torch.compile(step)
    v, x, at = torch.randn(4), torch.randn(3, 2), _PLACES.clone()
    for change in (lambda: None, lambda: at.fill_(1), lambda: at.numpy().fill(2)):
        change()
        for places in (at, at.clone()):
            torch.testing.assert_close(compiled(places, v, x), step(places, v, x))
    assert len(compiled._native.specializations) == 3


def test_places_that_are_others_in_each_call_run_eagerly() -> None:
    def step(at: Any, v: Any, x: Any) -> Any:
        return torch.sparse.mm(torch.sparse_coo_tensor(at, v, (3, 3)), x)

    compiled, v, x = torch.compile(step), torch.randn(4), torch.randn(3, 2)
    given = [(_PLACES + n) % 3 if n < 3 else _PLACES[:, [n % 4] * 4] for n in range(5)]
    with pytest.warns(UserWarning, match="others in each call"):
        found = [compiled(at, v, x) for at in given]
    torch.testing.assert_close(found, [step(at, v, x) for at in given])
