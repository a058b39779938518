"""The cases of the seed texts, with the numbers that the texts print: y, v, J, vᵀ·J, and sums on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pullback as torch


@dataclass(frozen=True)
class Case:
    """One case: a program that makes (y, x), the covector, and what the text says.

    Attributes
    ----------
    jacobian : nested list
        In the shape (*y.shape, *x.shape); a leading axis of 1 where the text has one is left out.
    running : list or None
        ``x.grad`` after each element of v.
    """

    name: str
    make: Callable[[], tuple[Any, Any]]
    covector: Any
    jacobian: Any
    gradient: Any
    running: Any = None


def square() -> tuple[Any, Any]:
    x = torch.tensor(1.0, requires_grad=True)
    y = x**2
    return y, x


def total() -> tuple[Any, Any]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = sum(x)
    return y, x


def squares() -> tuple[Any, Any]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = 3 * x**2
    return y, x


def three() -> tuple[Any, Any]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.empty(3)
    y[0] = 3 * x[0] ** 2
    y[1] = x[0] ** 2 + 2 * x[1] ** 3
    y[2] = 10 * x[1]
    return y, x


def product() -> tuple[Any, Any]:
    x = torch.ones(2, 3, requires_grad=True)
    a = torch.ones(3, 4)
    y = torch.mm(x, a)
    return y, x


def elementwise() -> tuple[Any, Any]:
    x = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.float, requires_grad=True)
    y = x * x
    return y, x


def scalar_loss() -> tuple[Any, Any]:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    loss = y * 3
    return loss, x


def vector_loss() -> tuple[Any, Any]:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * x
    return y, x


#: ∂out[i,j]/∂a[k,l] of a*a: 2·a on the diagonal of 2×3 and 2×3.
DOUBLED = [
    [
        [[2.0 * (3 * i + j + 1) if (i, j) == (k, m) else 0.0 for m in range(3)] for k in range(2)]
        for j in range(3)
    ]
    for i in range(2)
]
#: ∂out[i,j]/∂x[k,l] of x @ ones(3, 4): one where the rows are the same.
ROWS = [
    [[[1.0 if i == k else 0.0 for _ in range(3)] for k in range(2)] for _ in range(4)] for i in range(2)
]
V4 = [1.0, 10.0, 100.0, 1000.0]

CASES = [
    Case("scalar", square, None, 2.0, 2.0),
    Case("scalar, gradient 100", square, 100.0, 2.0, 200.0),
    Case("vector to scalar", total, None, [1.0, 1.0], [1.0, 1.0]),
    Case("vector to scalar, gradient 100", total, 100.0, [1.0, 1.0], [100.0, 100.0]),
    Case("vector to vector", squares, [1.0, 1.0], [[6.0, 0.0], [0.0, 12.0]], [6.0, 12.0]),
    Case("vector to vector, [1, 10]", squares, [1.0, 10.0], [[6.0, 0.0], [0.0, 12.0]], [6.0, 120.0]),
    Case(
        "two to three", three, [1.0, 10.0, 100.0], [[6.0, 0.0], [2.0, 24.0], [0.0, 10.0]], [26.0, 1240.0],
        [[6.0, 0.0], [26.0, 240.0], [26.0, 1240.0]],
    ),
    Case("scalar, vector gradient", square, V4, 2.0, 2222.0, [2.0, 22.0, 222.0, 2222.0]),
    Case(
        "vector to scalar, vector gradient", total, V4, [1.0, 1.0], [1111.0, 1111.0],
        [[1.0, 1.0], [11.0, 11.0], [111.0, 111.0], [1111.0, 1111.0]],
    ),
    Case(
        "matrix product", product, [[1.0, 2, 3, 4], [5, 6, 7, 8]], ROWS, [[10.0] * 3, [26.0] * 3],
    ),
    Case("a*a with itself", elementwise, [[1.0, 2, 3], [4, 5, 6]], DOUBLED, [[2.0, 8, 18], [32, 50, 72]]),
    Case("a*a with ones", elementwise, [[1.0] * 3] * 2, DOUBLED, [[2.0, 4, 6], [8, 10, 12]]),
    Case("scalar loss", scalar_loss, None, 12.0, 12.0),
    Case("loss per element", vector_loss, [1.0, 0.5], [[4.0, 0.0], [0.0, 6.0]], [4.0, 3.0]),
]  # fmt: skip
