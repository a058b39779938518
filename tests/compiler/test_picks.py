"""What a traced integer selects is a copy where eager code has a view, and nobody can tell."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

pytestmark = pytest.mark.usefixtures("in_haste")

X = torch.arange(20.0).reshape(4, 5).sin()
PLACES = [2, 0, 1, 3, 2, 0, 3]


def added(p: Any, k: Any) -> Any:
    p = p.clone()
    p[k] += p[0] * 2
    p[k] *= 3.0
    return p


def of_columns(p: Any, k: Any) -> Any:
    p = p.clone()
    p[:, k] -= 1.0
    p[1, k] /= 2.0
    return p


def found_in_a_loop(p: Any, k: Any) -> Any:
    p, count = p.clone() + k, torch.zeros(4)
    for _ in range(3):
        least = p.sum(1).argmin()
        p[least] += p[least] ** 2 + 1
        count[least] += 1
    return p, count


def differentiated(p: Any, k: Any) -> Any:
    w = p.clone().requires_grad_()
    q = w * 1
    q[k] += w[0]
    q[k] *= 2
    (q**2).sum().backward()
    return w.grad


def stored_with_a_history(p: Any, k: Any) -> Any:
    w = p.clone().requires_grad_()
    q = torch.zeros(5, 5)
    q[k] = w[0] * 2
    q[k, 1] *= w[k, 1]
    q[:, k] += w[1, 1]
    q[k : k + 2] = w[2:4].exp()
    (q**2).sum().backward()
    return w.grad


def each(function: Callable[..., Any], places: list[Any]) -> Any:
    compiled = torch.compile(function)
    for place in places:
        ours, theirs = compiled(X, place), function(X, place)
        pairs = zip(ours, theirs) if type(ours) is tuple else [(ours, theirs)]
        assert all(torch.allclose(a, b) for a, b in pairs)
    return compiled._native


@pytest.mark.parametrize(
    ("function", "tensor"),
    [
        *((function, kind) for function in (added, of_columns, found_in_a_loop) for kind in (True, False)),
        (differentiated, True), (differentiated, False), (stored_with_a_history, False),
    ],
)
def test_an_augmented_assignment_is_one_program_for_all_places(function, tensor):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = each(function, [torch.tensor(k) if tensor else k for k in PLACES])
    # A number is a part of the first program, as it may always be the same.
    assert len(found.specializations) == (1 if tensor else 2)


def read_between(p: Any, k: Any) -> Any:
    p = p.clone()
    row = p[k]
    row += 1
    total = p.sum()
    p[k] = row
    return total


def kept_and_overwritten(p: Any, k: Any) -> Any:
    p = p.clone()
    row = p[k]
    row += 1
    p[k] = row
    p[2] = 7.0
    return row * 1


def held_before(p: Any, k: Any) -> Any:
    p = p.clone()
    row = p[k]
    p[k] += 1
    return row + p


def written_and_dropped(p: Any, k: Any) -> Any:
    p = p.clone()
    row = p[k]
    row += 1
    return p


def place_moved(p: Any, k: Any) -> Any:
    p, place = p.clone(), torch.tensor(0) + k
    p[place] += place.mul_(-1)
    p[0, place] += place.mul_(-1) * p[0, 1]
    return p


def stored_elsewhere(p: Any, k: Any) -> Any:
    p = p.clone()
    row = p[k]
    row += 1
    p[3 - k] = row
    return p


@pytest.mark.parametrize(
    "function",
    [read_between, kept_and_overwritten, held_before, written_and_dropped, stored_elsewhere, place_moved],
)
@pytest.mark.filterwarnings("ignore:compile")
def test_a_view_that_can_be_told_counts_as_one(function):
    each(function, [torch.tensor(k) for k in PLACES])
    each(function, PLACES)


@pytest.mark.filterwarnings("ignore:compile")
@pytest.mark.parametrize("k", [0, 2])
def test_a_view_that_a_history_needs_is_refused_as_in_eager(k):
    def step(p: Any, k: Any) -> Any:
        w = p.clone().requires_grad_()
        q = w * 1
        squared = (q[k] * q[k]).sum()
        q[k] += 1
        squared.backward()
        return w.grad

    compiled = torch.compile(step)
    for place in (0, k, k + 1):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            compiled(X, place)


def test_a_mask_says_where_a_sources_elements_go_in_order() -> None:
    x, y = torch.randn(4, 5, requires_grad=True), torch.randn(7, requires_grad=True)

    def step(x: Any, mask: Any, y: Any) -> Any:
        z = (x * 2).masked_scatter(mask, y)
        z.masked_scatter_(~mask[:, :1] & mask, y * 0.5 + z.sum())
        return z, *torch.autograd.grad((z * z).sum(), (x, y))

    compiled = torch.compile(step, fullgraph=True)
    for chosen in ((), (3,), (0, 4, 9, 11, 12, 13, 19)):
        mask = torch.zeros(20, dtype=torch.bool)
        mask[list(chosen)] = True
        mask = mask.view(4, 5)
        for found, expected in zip(compiled(x, mask, y), step(x, mask, y), strict=True):
            torch.testing.assert_close(found, expected)
    for form in (compiled, step):
        with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
            form(x, torch.ones(4, 5, dtype=torch.bool), y)
