"""Arguments that torch reads as numbers and a program as tensors: lengths, probabilities, permutations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

F = torch.nn.functional


def _compiled(function: Callable[..., Any]) -> Any:
    return torch.compile(function, backend="native", fullgraph=True)


def _same(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    """Check values and gradients of every call against eager's; all calls have one program."""
    compiled = _compiled(function)
    for x, *others in calls:
        found = []
        for run in (compiled, function):
            leaf = x.clone().requires_grad_()
            result = run(leaf, *others)
            result.sum().backward()
            found.append((result.detach(), leaf.grad))
        for mine, want in zip(*found, strict=True):
            torch.testing.assert_close(mine, want, rtol=1e-6, atol=1e-6, equal_nan=True)
    assert len(compiled._native.specializations) == 1


def _speech(lengths: list[int], sizes: list[int], row: bool) -> tuple[Any, ...]:
    x = torch.randn(7, 3, 5, dtype=torch.float64).log_softmax(-1)
    targets = torch.randint(1, 5, (sum(sizes),) if row else (3, 4))
    return x, targets, torch.tensor(lengths), torch.tensor(sizes)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("row", [False, True])
@pytest.mark.parametrize("zero_infinity", [False, True])
def test_ctc_loss_of_lengths_that_change(reduction, row, zero_infinity):
    lengths = ([7, 7, 6], [5, 7, 0], [7, 1, 3])
    sizes = ([3, 2, 1], [4, 2, 0], [1, 3, 2])
    _same(
        lambda x, *rest: F.ctc_loss(x, *rest, reduction=reduction, zero_infinity=zero_infinity),
        [_speech(*each, row) for each in zip(lengths, sizes, strict=True)],
    )


def test_ctc_loss_of_lengths_that_are_numbers():
    targets = torch.tensor([[1, 2], [3, 1]])
    _same(
        lambda x: F.ctc_loss(x, targets, (7, 6), (2, 1)),
        [(torch.randn(7, 2, 5).log_softmax(-1),) for _ in range(3)],
    )


@pytest.mark.parametrize(
    ("at", "numbers"), [(2, [8, 7, 6]), (2, [-1, 7, 6]), (3, [5, 2, 1]), (3, [-3, 2, 1])]
)
def test_lengths_that_do_not_go_together_raise_eagers_error(at, numbers):
    given = _speech([7, 7, 6], [3, 2, 1], False)
    compiled = _compiled(F.ctc_loss)
    compiled(*given)
    wrong = (*given[:at], torch.tensor(numbers), *given[at + 1 :])
    with pytest.raises(RuntimeError) as eager:
        F.ctc_loss(*wrong)
    with pytest.raises(RuntimeError) as mine:
        compiled(*wrong)
    assert str(mine.value) == str(eager.value)
    torch.testing.assert_close(compiled(*given), F.ctc_loss(*given))


ROWS = torch.tensor(
    [[1.0, 5.0, 2.0, 4.0], [float("inf"), 3.0, float("-inf"), 0.0], [2.0, float("nan"), 1.0, 7.0]],
    dtype=torch.float64,
)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("q", [0.3, 0.5, "tensor", "tensors"])
def test_quantiles(name, interpolation, q):
    function = getattr(torch, name)
    points = {"tensor": [0.3, 1.0, 0.5], "tensors": [[0.1, 0.9], [0.0, 1.0], [0.5, 0.25]]}.get(q)
    if points is None:
        _same(
            lambda x: function(x, q, dim=1, keepdim=True, interpolation=interpolation), [(ROWS,), (ROWS + 1,)]
        )
    else:
        _same(
            lambda x, q: function(x, q, dim=1, interpolation=interpolation),
            [(ROWS, torch.tensor(each, dtype=torch.float64)) for each in points],
        )


def test_a_quantile_of_what_is_no_probability_raises_eagers_error():
    compiled = _compiled(torch.quantile)
    x = torch.randn(5)
    compiled(x, torch.tensor([0.5]))
    with pytest.raises(RuntimeError, match=r"q values must be in the range \[0, 1\]"):
        compiled(x, torch.tensor([1.5]))


def test_quantiles_move_with_their_probabilities():
    def slope(run):
        q = torch.tensor([0.3, 0.8], requires_grad=True)
        run(torch.tensor([1.0, 4.0, 9.0]), q).sum().backward()
        return q.grad

    torch.testing.assert_close(slope(_compiled(torch.quantile)), slope(torch.quantile))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.float32])
def test_permutations_are_eagers(dtype):
    def function(x):
        first = torch.randperm(x.shape[0])
        return x[first], torch.rand(2), torch.randperm(300, dtype=dtype)

    compiled = _compiled(function)
    x = torch.randn(6)
    for seed in range(3):
        found = []
        for run in (compiled, function):
            torch.manual_seed(seed)
            found.append((*run(x), torch.rand(1)))
        for mine, want in zip(*found, strict=True):
            torch.testing.assert_close(mine, want, rtol=0, atol=0)
    assert len(compiled._native.specializations) == 1


def test_permutations_of_a_generator_of_ones_own():
    generators = [torch.Generator().manual_seed(3) for _ in range(2)]
    compiled = _compiled(lambda x: x[torch.randperm(4, generator=generators[0])])
    for _ in range(3):
        want = torch.arange(4.0)[torch.randperm(4, generator=generators[1])]
        assert torch.equal(compiled(torch.arange(4.0)), want)
