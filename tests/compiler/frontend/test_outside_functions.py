"""Functions of other packages that are traced, and the arrays that they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import pullback as torch


def matched(cost: Any, x: Any) -> Any:
    """Match rows to columns, and use what comes of it in each way that a set loss does."""
    rows, columns = linear_sum_assignment(cost.detach())
    whole, same = torch.as_tensor(rows, dtype=torch.int64), torch.from_numpy(columns)
    y = x[whole, same].sum() + x[rows, columns].square().sum() + len(rows) * rows.shape[0]
    z = x.clone()
    z[rows, columns] = torch.tensor(columns, dtype=torch.float32)
    (y + z.mean()).backward()
    return y.detach(), z.detach(), rows, columns


def test_assignments_are_a_part_of_the_program() -> None:
    compiled = torch.compile(matched, fullgraph=True)
    for seed in range(4):
        torch.manual_seed(seed)
        cost, x = torch.randn(4, 6), torch.randn(4, 6)
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        for expected, found in zip(matched(cost, a), compiled(cost, b), strict=True):
            np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-6)
            assert type(found) is type(expected)
        np.testing.assert_allclose(b.grad.numpy(), a.grad.numpy(), rtol=1e-6)


def test_the_most_and_numpys_arrays() -> None:
    compiled = torch.compile(lambda c: linear_sum_assignment(c.numpy(), maximize=True), fullgraph=True)
    assert [part.tolist() for part in compiled(torch.eye(3).flip(0))] == [[0, 1, 2], [2, 1, 0]]


def test_numbers_that_cannot_be_matched_raise_as_in_eager() -> None:
    compiled = torch.compile(lambda c: torch.as_tensor(linear_sum_assignment(c)[0]), fullgraph=True)
    assert compiled(torch.eye(2)).tolist() == [0, 1]
    with pytest.raises(ValueError, match="^matrix contains invalid numeric entries$"):
        compiled(torch.full((2, 2), float("nan")))


def test_what_is_no_matrix_runs_eagerly() -> None:
    cost = [[1.0, 0.0], [0.0, 1.0]]
    compiled = torch.compile(lambda x: linear_sum_assignment(cost)[1].sum() + x)
    with pytest.warns(UserWarning, match="it passes what is no matrix of the trace to linear_sum_assignment"):
        assert compiled(torch.ones(1)).tolist() == [2.0]
