"""Selections whose size the data decide: each size is a program of its own, and few are made."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

from pullback.compiler.frontend.state.knowledge import SIZES

pytestmark = pytest.mark.usefixtures("in_haste")


def _distinct(unique, x, m):
    numbers = (m * torch.arange(8) // 2).view(2, 4)
    values, inverse, counts = unique(numbers, return_inverse=True, return_counts=True)
    assert unique(x.detach()).shape[0] <= x.numel()
    return (values[inverse].view(8, 1) * x + counts[inverse].sum()).sum()


FUNCTIONS = {
    "indexed": lambda x, m: (x[m] ** 2).mean(),
    "where": lambda x, m: torch.where(m)[0].sum() + x.sum(),
    "masked_select": lambda x, m: (x.masked_select(m[:, None]) * 2).sum(),
    "nonzero": lambda x, m: x[torch.nonzero(m).squeeze(1)].exp().sum(),
    "rows and a loss": lambda x, m: torch.nn.functional.cross_entropy(x[m], torch.arange(8)[m] % 3),
    "bincount": lambda x, m: (torch.bincount(m.long(), minlength=3) * x[0]).sum(),
    "bincount of weights": lambda x, m: (torch.bincount(m.long() * 2, x[:, 0].detach()) * x).sum(),
    "repeated": lambda x, m: (torch.repeat_interleave(x, m.long() * 2, dim=0) * x[:1]).sum(),
    "repeated alike": lambda x, m: (x[:3].repeat_interleave(m.sum()[None], 0).exp()).sum(),
    "places repeated": lambda x, m: x[torch.repeat_interleave(m.int() + 1)].square().sum(),
    "up to a number": lambda x, m: x[: m.sum()].sum() + x[1:, : x.shape[1] - m.sum() % 2].exp().sum(),
    "unique": lambda x, m: _distinct(torch.unique, x, m),
    "unique_consecutive": lambda x, m: _distinct(torch.unique_consecutive, x, m),
    "repeat_interleave": lambda x, m: (
        (torch.repeat_interleave(x, m.long() * 2, 0) ** 2).mean() + torch.repeat_interleave(m.int() + 1).sum()
    ),
    "two axes": lambda x, m: (x[x > 0] * 3).sum() + x[:, 0][m].prod(),
}


def _mask(count: int) -> Any:
    return torch.arange(8) < count


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_eager_gives(name: str) -> None:
    function = FUNCTIONS[name]
    compiled = torch.compile(function)
    torch.manual_seed(0)
    for count in (3, 3, 5):
        x = torch.randn(8, 3)
        mask = _mask(count)[torch.randperm(8)]
        mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
        found, expected = compiled(mine, mask), function(theirs, mask)
        torch.testing.assert_close(found, expected)
        found.backward()
        expected.backward()
        torch.testing.assert_close(mine.grad, theirs.grad)
    assert compiled._native.specializations
    assert compiled._native.eager_because is None


def test_what_is_selected_lies_as_in_eager_code() -> None:
    def selects(m):
        return torch.nonzero(m), *torch.unique(m, return_inverse=True)

    compiled = torch.compile(selects)
    for mask in (torch.zeros(2, 3), torch.ones(2, 3)):
        for found, expected in zip(compiled(mask), selects(mask), strict=True):
            assert found.stride() == expected.stride()
            assert found._is_view() == expected._is_view()
            assert torch.equal(found, expected)
    assert compiled._native.eager_because is None


def test_a_size_that_varies_runs_eagerly() -> None:
    compiled = torch.compile(lambda x, m: x[m].sum())
    x = torch.randn(8, 3)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for count in range(1, 8):
            torch.testing.assert_close(compiled(x, _mask(count)), x[:count].sum())
    assert len(compiled._native.specializations) == SIZES
    assert ["how many elements are selected" in str(w.message) for w in told] == [True]


def test_nothing_is_selected() -> None:
    compiled = torch.compile(lambda x, m: x[m].sum())
    x = torch.randn(8, 3)
    for count in (0, 8, 0):
        torch.testing.assert_close(compiled(x, _mask(count)), x[:count].sum())


def test_a_step_that_selects_changes_nothing_where_another_size_comes() -> None:
    w = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    def step(x: Any, m: Any) -> Any:
        optimizer.zero_grad()
        loss = (x[m] @ w).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    compiled = torch.compile(step)
    x = torch.randn(8, 3)
    for count in (2, 4, 2, 5, 4):
        before = w.detach().clone()
        found = compiled(x, _mask(count))
        kept, w_after = found.item(), w.detach().clone()
        with torch.no_grad():
            w.copy_(before)
        assert step(x, _mask(count)).item() == pytest.approx(kept, rel=1e-5)
        torch.testing.assert_close(w.detach(), w_after)


def test_places_are_repeated_as_often_as_is_told() -> None:
    compiled = torch.compile(lambda x, n: torch.repeat_interleave(x, n, dim=0, output_size=4))
    x = torch.tensor([1.0, 2.0])
    for counts in ([1, 3], [4, 0], [0, 4], [2, 2]):
        assert torch.equal(compiled(x, torch.tensor(counts)), x.repeat_interleave(torch.tensor(counts)))
    assert len(compiled._native.specializations) == 1
    with pytest.raises(RuntimeError, match="^allocated size does not match required size$"):
        compiled(x, torch.tensor([1, 4]))
    with pytest.raises(RuntimeError, match="^repeats can not be negative$"):
        compiled(x, torch.tensor([5, -1]))


def test_bins_of_negative_numbers() -> None:
    compiled = torch.compile(lambda x: torch.bincount(x) + 1)
    assert compiled(torch.tensor([1, 0, 1])).tolist() == [2, 3]
    with pytest.raises(RuntimeError, match="non-negative"):
        compiled(torch.tensor([1, 0, -1]))
    assert compiled(torch.tensor([1, 2, 1])).tolist() == [1, 3, 2]


@pytest.mark.parametrize("as_tuple", [False, True])
def test_places_are_views_of_what_they_are_views_of_in_eager(as_tuple):
    def step(m):
        return torch.nonzero(m, as_tuple=as_tuple), torch.argwhere(m)

    def told(found):
        places, rows = found
        several = places if as_tuple else (places,)
        return [(t.tolist(), t._base is None or t._base.tolist()) for t in (*several, rows)]

    compiled = torch.compile(step)
    for count in (3, 5, 3):
        mask = _mask(count).view(2, 4)
        assert told(compiled(mask)) == told(step(mask))


def test_repeats_that_are_refused_are_refused_in_a_program_too() -> None:
    compiled = torch.compile(lambda x, n: torch.repeat_interleave(x, n, 1, output_size=5))
    x = torch.randn(2, 3)
    for counts in ([1, 1, 3], [0, 5, 0], [2, 2, 1]):
        n = torch.tensor(counts)
        torch.testing.assert_close(compiled(x, n), x.repeat_interleave(n, 1))
    assert len(compiled._native.specializations) == 1
    with pytest.raises(RuntimeError, match="repeats can not be negative"):
        compiled(x, torch.tensor([3, -1, 3]))
    with pytest.raises(RuntimeError, match="allocated size does not match required size"):
        compiled(x, torch.tensor([3, 0, 3]))


@pytest.mark.parametrize("alike", [torch.equal, torch.allclose, torch.Tensor.allclose, torch.Tensor.equal])
def test_what_is_equal_decides_as_any_other_number(alike: Any) -> None:
    def step(x: Any, y: Any) -> Any:
        if alike(x, y):
            return x.exp(), alike(x * 2, y)
        return x + y, alike(x, x)

    compiled = torch.compile(step)
    x = torch.randn(8, 3)
    for y in (x.clone(), x + 1, x.clone(), x + torch.nan, x * 1):
        found, expected = compiled(x, y), step(x, y)
        torch.testing.assert_close(found[0], expected[0], equal_nan=True)
        assert found[1] is expected[1]
    assert len(compiled._native.specializations) == 2
    with pytest.raises(RuntimeError) if alike.__name__ == "allclose" else warnings.catch_warnings():
        assert step(x, x.double())[1] is compiled(x, x.double())[1]
    assert torch.compile(lambda x: torch.equal(x, x[:4]))(x) is False
    # What `allclose` takes besides.
    near = torch.compile(lambda x, y: torch.allclose(x, y, atol=3.0, equal_nan=True))
    assert near(x, x + 2) is True
    assert near(x, x + 4) is False
