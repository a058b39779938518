"""Reductions against what torch gave."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import pullback as torch
from tests.functions import check, recorded


@pytest.mark.parametrize(("expression", "expected"), recorded("reductions"))
def test_as_recorded_from_torch(expression: str, expected: dict[str, Any]) -> None:
    check(expression, expected)


NAN = float("nan")


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [
        (lambda x: x.amax(0), [[NAN, 1.0, 0.5], [NAN, 0.0, 0.5]]),
        (lambda x: x.amin((0, 1)), [[NAN] * 3, [NAN] * 3]),
        (lambda x: x.aminmax(dim=0)[1], [[NAN, 1.0, 0.5], [NAN, 0.0, 0.5]]),
        (lambda x: x.max(), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    ],
)
def test_extremes_of_nan_pull_back_as_in_torch(reduce: Any, expected: Any) -> None:
    x = torch.tensor([[NAN, 1.0, 3.0], [2.0, -1.0, 3.0]], requires_grad=True)
    reduce(x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.float32(expected))


#: Per order p: derivatives of w · grad(norm)(v) at x = 0 along each element of x, and along v; recorded from
#: torch 2.13.
SECOND_AT_ZERO = {
    0.5: (NAN, 0.0), 1.5: (NAN, NAN), 2: (NAN, 0.0), 2.5: (NAN, NAN),
    3: (0.0, NAN), 4: (0.0, NAN),
}  # fmt: skip


@pytest.mark.parametrize("order", SECOND_AT_ZERO)
@pytest.mark.parametrize("name", ["vector_norm", "norm", "dist"])
def test_second_derivatives_of_norms_at_zero(name: str, order: float) -> None:
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    v = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    calls = {
        "vector_norm": lambda: torch.linalg.vector_norm(x, order),
        "norm": lambda: x.norm(order),
        "dist": lambda: torch.dist(x, torch.zeros(3, dtype=torch.float64), order),
    }
    (first,) = torch.autograd.grad(calls[name](), x, v, create_graph=True)
    assert first.tolist() == [0.0, 0.0, 0.0]
    second, along = torch.autograd.grad(first, [x, v], torch.arange(3.0, dtype=torch.float64))
    expected, expected_along = SECOND_AT_ZERO[order]
    np.testing.assert_array_equal(second.numpy(), [expected] * 3)
    np.testing.assert_array_equal(along.numpy(), expected_along)


@pytest.mark.parametrize("order", [1.5, 2, 2.5, 3, 4])
def test_tangents_of_norms_at_zero(order: float) -> None:
    zero, one = torch.zeros(3), torch.ones(3)

    def tangent(x: Any) -> Any:
        return torch.func.jvp(lambda y: torch.linalg.vector_norm(y, order), (x,), (one,))[1]

    assert tangent(zero).item() == 0
    assert torch.func.jvp(tangent, (zero,), (one,))[1].item() == 0


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_no_dim_by_place_is_a_dim_that_was_given(name):
    for function in (getattr(torch.Tensor, name), getattr(torch, name)):
        x = torch.ones(2, 3)
        assert function(x, None, keepdim=True).shape == (1, 1)
        assert function(x, None, keepdims=True, dtype=torch.float64).shape == (1, 1)
        assert function(x, keepdim=True, dim=None).shape == (1, 1)
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            function(x, keepdim=False)
        with pytest.raises(TypeError):
            function(x, None, dim=1)


def test_equality_of_plain_arrays_asks_nothing_else():
    nan, names = float("nan"), set()
    rows = (([1.0, nan], [1.0, nan], False), ([1, 2], [1, 2], True), ([[]], [], False), (True, True, True))
    for a, b, known in rows:
        x, y = torch.tensor(a), torch.tensor(b)
        sys.setprofile(lambda frame, event, arg: names.add(frame.f_code.co_name))
        try:
            found = torch.equal(x, y)
        finally:
            sys.setprofile(None)
        assert found is known
    assert "equal" in names and "array_equal" not in names
    half = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    assert torch.equal(half, half.clone()) and torch.equal(torch.tensor([1, 2]), torch.tensor([1.0, 2.0]))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(7, 3), (300, 301), (2000, 301)])
def test_equal_elements_have_no_variance(shape: Any, dtype: Any, compiled: bool) -> None:
    """The mean of 300 times 0.1 is another number than 0.1, and yet std is 0, as users ask before they divide
    by it; and the variance of others is what it was.
    """
    if compiled:
        pytest.importorskip("llvmlite")

    def of_columns(x: Any) -> Any:
        return x.var(0), x.std(0, correction=0), x.T.std(1)

    call = torch.compile(of_columns) if compiled else of_columns
    x = torch.full(shape, 0.1, dtype=dtype)
    assert all(not found.any() for found in call(x))
    x[:, 0] += torch.arange(shape[0], dtype=dtype) % 2
    exact = np.var(x.numpy().astype(np.longdouble), axis=0, ddof=1)
    np.testing.assert_allclose(call(x)[0].numpy(), exact, rtol=1e-5, atol=0)
