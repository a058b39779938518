"""Numbers that a call cannot take are refused, or go around, as torch was seen to refuse and to take them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

TOO_BIG, TOO_SMALL = "int too big to convert", "can't convert negative int to unsigned"

CALLS: dict[str, Callable[[Any, int], Any]] = {
    "+": lambda x, n: x + n,
    "reflected -": lambda x, n: n - x,
    "**": lambda x, n: x**n,
    "//": lambda x, n: x // n,
    "reflected <<": lambda x, n: n << x,
    "==": lambda x, n: x == n,
    "%": lambda x, n: x % n,
    "+=": operator.iadd,
    "add_": lambda x, n: x.add_(n),
    "alpha": lambda x, n: torch.add(x, x, alpha=n),
    "clamp": lambda x, n: x.clamp(n),
    "where": lambda x, n: torch.where(x > 0, x, n),
    "full": lambda x, n: torch.full((2,), n),
    "masked_fill": lambda x, n: x.masked_fill(x > 0, n),
    "copy_": lambda x, n: x.copy_(n),
}


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
@pytest.mark.parametrize("name", CALLS)
def test_more_than_64_bits(name: str, dtype: str) -> None:
    for number, text in ((2**64, TOO_BIG), (-(2**63) - 1, TOO_SMALL)):
        with pytest.raises(OverflowError) as caught:
            CALLS[name](torch.tensor([1, 2]).to(getattr(torch, dtype)), number)
        assert str(caught.value) == text


def test_bits_above_int64_are_kept() -> None:
    x = torch.tensor([1, 2])
    assert (x % 2**63).tolist() == [-9223372036854775807, -9223372036854775806]
    assert (x < 2**63).tolist() == [False, False]
    assert (x + (2**64 - 1)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: torch.add(x, x, alpha=300), "value cannot be converted to type uint8_t without overflow"),
        (lambda x: x**2**63, "value cannot be converted to type int64_t without overflow"),
        (
            lambda x: torch.addcmul(x, x, x, value=300),
            "value cannot be converted to type uint8_t without overflow",
        ),
    ],
)
def test_factors_are_held(call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        call(torch.tensor([1, 2], dtype=torch.uint8))
    assert str(caught.value) == text
    one = torch.tensor([1], dtype=torch.uint8)
    assert torch.add(one, one, alpha=-1).tolist() == [0]


@pytest.mark.parametrize("index", [0, slice(0, 0), None, ..., True, (0, [0, 1])])
def test_assigned_numbers_are_int64(index: Any) -> None:
    with pytest.raises(ValueError, match="^Overflow when unpacking long long$"):
        torch.zeros(2, 3)[index] = 2**63


def test_values_are_looked_at_by_shape_and_then_by_dtype() -> None:
    x, mask = torch.zeros(2, 3), torch.tensor([[True, False, False], [True, False, False]])
    with pytest.raises(RuntimeError) as caught:
        x[mask] = torch.tensor([1, 2, 3])
    assert str(caught.value) == (
        "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2]"
    )
    with pytest.raises(RuntimeError) as caught:
        x[mask] = torch.tensor([1, 2])
    assert str(caught.value) == (
        "Index put requires the source and destination dtypes match, got Float for the destination and Long "
        "for the source."
    )
    with pytest.raises(RuntimeError, match="^value cannot be converted to type float without overflow$"):
        x[mask] = torch.tensor(1j)
    x[0, mask[0]] = torch.tensor([[1]])
    assert x.tolist() == [[1, 0, 0], [0, 0, 0]]


def test_quotients_of_halves_by_numbers_are_rounded_once() -> None:
    x = torch.tensor([1.0, 2.0, 3.0, 7.0, 100.0]).bfloat16()
    assert (x // 0.1).tolist() == [9, 19, 29, 69, 1000]
    assert torch.div(x, 0.1, rounding_mode="trunc").tolist() == [10, 20, 30, 70, 1000]


def test_copy_casts_a_number() -> None:
    assert torch.zeros(2, dtype=torch.uint8).copy_(300).tolist() == [44, 44]
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert torch.zeros(1, dtype=torch.int64).copy_(2 + 1j).tolist() == [2]


@pytest.mark.parametrize("name", ["atan2_", "logical_and_", "logical_or_", "logical_xor_"])
def test_operands_that_are_no_numbers(name: str) -> None:
    with pytest.raises(TypeError) as caught:
        getattr(torch.ones(2), name)(3)
    assert str(caught.value) == f"{name}(): argument 'other' (position 1) must be Tensor, not int"


@pytest.mark.parametrize("call", [lambda x, n: x * n, lambda x, n: n * x, lambda x, n: x / n])
def test_a_covector_of_bfloat16_meets_an_integer_above_int64(call: Callable[[Any, int], Any]) -> None:
    x, half = (torch.ones(2, dtype=d, requires_grad=True) for d in (torch.float32, torch.bfloat16))
    for leaf in (x, half):
        call(leaf, 2**63).sum().backward()
    assert half.grad.dtype == torch.bfloat16
    assert half.grad.float().tolist() == x.grad.tolist()
