"""Sparse tensors of every layout give what torch gives; its answers are compared live and as recorded."""

from __future__ import annotations

import pytest

import pullback
from tests.recorded import load

from . import sample
from .cases import cases
from .run import is_meant, outcome

DATA = load("sparse")

#: The share of cases that may differ: sums of places that occur more than once come in another order, and
#: gradients are there that torch lacks.
DIFFERING = 0.03


def differing(expected: dict[tuple[str, str, str], str]) -> list[str]:
    return [
        f"{family}: {expression} of {layout or 'nothing'}: {text!r} expected, {found!r} found"
        for (family, layout, expression), text in expected.items()
        if (found := outcome(family, layout, expression, pullback)) != text
    ]


def test_as_recorded() -> None:
    chosen = sample()
    assert len(DATA["cases"]) == len(chosen), "run python -m tests.differential.sparse --record"
    texts = [DATA["texts"][number] for number in DATA["cases"]]
    expected = {case: text for case, text in zip(chosen, texts, strict=True) if is_meant(text)}
    found = differing(expected)
    assert len(found) <= DIFFERING * len(expected), "\n".join(found)


def test_as_in_torch() -> None:
    torch = pytest.importorskip("torch")
    expected = {case: outcome(*case, torch) for case in list(cases())[3::9]}
    expected = {case: text for case, text in expected.items() if is_meant(text)}
    found = differing(expected)
    assert len(found) <= DIFFERING * len(expected), "\n".join(found)


def test_a_gradient_has_the_layout_of_its_leaf() -> None:
    x = pullback.eye(3).to_sparse_csr().requires_grad_()
    (x.to_dense() * pullback.arange(9.0).view(3, 3)).sum().backward()
    assert x.grad.layout is pullback.sparse_csr
    assert x.grad.values().tolist() == [0, 4, 8]
    y = pullback.eye(3).to_sparse().requires_grad_()
    product = pullback.sparse.mm(y, pullback.ones(3, 2))
    assert type(product.grad_fn).__name__ == "SparseAddmmBackward0"
    (grad,) = pullback.autograd.grad(product.sum(), y)
    assert grad.is_sparse and grad._values().tolist() == [2, 2, 2]


def test_second_derivatives_through_sparse_values() -> None:
    values = pullback.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x = pullback.sparse_coo_tensor([[0, 1, 2], [2, 1, 0]], values, (3, 3))
    (first,) = pullback.autograd.grad(((x * x).to_dense() * 2).sum(), values, create_graph=True)
    assert first.tolist() == [4, 8, 12]
    first.sum().backward()
    assert values.grad.tolist() == [4, 4, 4]
