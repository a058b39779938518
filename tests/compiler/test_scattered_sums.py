"""Covectors of tables that are read at several places: rows are added to one table, not to one for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
import pullback.nn.functional as F
from pullback.compiler import trace
from pullback.compiler.passes.pipeline import optimized


def gradient(loss: Callable[..., Any]) -> Callable[..., Any]:
    def step(table: Any, *places: Any) -> Any:
        return torch.autograd.grad(loss(table, *places), table)[0]

    return step


def by_embedding(table: Any, a: Any, b: Any) -> Any:
    once, twice = F.embedding(a, table), F.embedding(b, table)
    return (once * twice[:, :, None]).sum() + F.embedding(b + 0, table).sin().sum()


def by_index(table: Any, a: Any, b: Any) -> Any:
    return (table[a] * table[b - 7][:, :, None]).sum() + table[b].sin().sum()


def by_select(table: Any, a: Any, b: Any) -> Any:
    return (table.index_select(0, b) * table[a[:, 0, 0]]).sum() + table.index_select(0, b).sin().sum()


@pytest.mark.parametrize(
    ("loss", "left"),
    [
        (by_embedding, {"embedding_backward": 1, "index_add": 2}),
        (by_index, {"index_backward": 1, "index_put": 2}),
        (by_select, {"index_backward": 0, "index_add": 2, "index_put": 1}),
    ],
)
def test_rows_are_added_to_one_table(loss: Callable[..., Any], left: dict[str, int]) -> None:
    torch.manual_seed(0)
    table = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    a, b = torch.randint(0, 7, (3, 4, 4)), torch.randint(0, 7, (3,))
    if loss is not by_select:
        b = torch.randint(0, 7, (3, 4))
    step = gradient(loss)
    program = optimized(trace(step, table, a, b).program)
    counts = Counter(equation.op for equation in program.equations)
    assert {op: counts[op] for op in left} == left
    sums = [equation.outputs[0] for equation in program.equations if equation.op == "add"]
    assert (7, 5) not in [program.shapes[number] for number in sums]
    expected = step(table, a, b).numpy()
    np.testing.assert_allclose(torch.compile(step)(table, a, b).numpy(), expected, rtol=1e-12)
    (replayed,) = program.run(table.detach().numpy(), a.numpy(), b.numpy())
    np.testing.assert_allclose(replayed, expected, rtol=1e-12)


def test_a_table_that_is_read_elsewhere_too_stays() -> None:
    def step(table: Any, a: Any, b: Any) -> Any:
        zeros = torch.zeros(7, 5)
        first, second = zeros.index_add(0, a, table), zeros.index_add(0, b, table)
        return first + second, first.sin(), second.cos(), first + table[:1]

    table, a, b = torch.randn(3, 5), torch.tensor([1, 1, 4]), torch.tensor([4, 2, 1])
    for got, expected in zip(torch.compile(step)(table, a, b), step(table, a, b), strict=True):
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-6)


def test_the_padding_row_stays_zero() -> None:
    def loss(table: Any, a: Any, b: Any) -> Any:
        return (F.embedding(a, table, padding_idx=2) * F.embedding(b, table, padding_idx=2)).sum()

    table, a, b = torch.randn(4, 3, requires_grad=True), torch.tensor([2, 1]), torch.tensor([2, 3])
    found = torch.compile(gradient(loss))(table, a, b)
    np.testing.assert_allclose(found.numpy(), gradient(loss)(table, a, b).numpy())
    assert found[2].tolist() == [0.0, 0.0, 0.0]


def test_zeros_and_numbers_of_no_size_are_as_eager_gives_them() -> None:
    def step(values: Any, a: Any, b: Any) -> Any:
        return torch.zeros(5).index_add(0, a, values) + torch.zeros(5).index_add(0, b, values)

    values = torch.tensor([-0.0, float("inf"), float("nan")])
    a, b = torch.tensor([0, 1, 2]), torch.tensor([3, 1, 4])
    assert torch.compile(step)(values, a, b).numpy().tobytes() == step(values, a, b).numpy().tobytes()
