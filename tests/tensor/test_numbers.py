"""Numbers at the edge of what a dtype holds are torch's."""

from __future__ import annotations

import enum
import sys

import pytest

import pullback
from tests.conftest import put_back
from tests.recorded import load, outcome

from .number_cases import EXPRESSIONS

RECORD = load("edge_numbers")


def test_record_is_complete() -> None:
    assert list(RECORD) == EXPRESSIONS, "run python -m tools.record_numbers"


def test_as_torch() -> None:
    found = {}
    for expression in RECORD:
        found[expression] = outcome(expression, pullback)
        put_back()
    assert found == RECORD


def test_members_of_enumerations_are_numbers() -> None:
    class Label(enum.IntEnum):
        CAT = 1
        DOG = 2

    assert pullback.tensor(Label.DOG).dtype == pullback.int64
    assert pullback.tensor([Label.DOG, 3]).tolist() == [2, 3]
    assert pullback.full((2,), Label.CAT).tolist() == [1, 1]


def test_a_number_beyond_halves_is_infinite_without_a_warning():
    x = pullback.ones(2, dtype=pullback.float16)
    assert (x * 1e20).tolist() == (x + 1e20).tolist() == x.mul_(1e20).tolist() == [float("inf")] * 2


HALVES = ("float16", "bfloat16")


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("call", ["add", "sub", "add_", "_foreach_add", "compiled", "step"])
def test_the_factor_of_a_sum_is_rounded_to_halves(name, call):
    generator = pullback.Generator().manual_seed(0)
    x, y = (pullback.randn(64, generator=generator).to(getattr(pullback, name)) for _ in range(2))
    share = 0.3 if call != "sub" else -0.3
    rounded = pullback.tensor(share, dtype=x.dtype).float().item()
    expected = (x.float() + rounded * y.float()).to(x.dtype)
    assert (expected != (x.float() + share * y.float()).to(x.dtype)).any()
    if call == "step":
        x.requires_grad_().grad = y
        pullback.optim.SGD([x], lr=share, maximize=True).step()
        found = x.detach()
    elif call == "compiled":
        found = pullback.compile(lambda x, y: pullback.add(x, y, alpha=share) * 1)(x, y)
    elif call == "_foreach_add":
        (found,) = pullback._foreach_add([x], [y], alpha=share)
    else:
        found = getattr(x, call)(y, alpha=abs(share))
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("name", HALVES)
def test_what_halves_do_not_hold_is_refused_as_factor_or_exponent(name):
    x = pullback.ones(2, dtype=getattr(pullback, name))
    word = {"float16": "c10::Half", "bfloat16": "c10::BFloat16"}[name]
    for call in (
        lambda: x.add(x, alpha=1e300), lambda: x.sub_(x, alpha=-1e300), lambda: x.add_(2, alpha=1e300),
        lambda: x.pow(1e300), lambda: x.addmv(pullback.ones(2, 2, dtype=x.dtype), x, alpha=1e300),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=f"^value cannot be converted to type {word} without overflow"):
            call()
    assert x.tolist() == [1, 1]
    # These compute in float32.
    with pytest.raises(RuntimeError, match="^value cannot be converted to type float without overflow"):
        x.addcmul(x, x, value=1e300)
    assert x.addcmul(x, x, value=1e20).tolist() == x.mul(1e20).tolist()


def test_factors_are_looked_at_as_in_torch():
    x, n = pullback.ones(2), pullback.ones(2, dtype=pullback.int8)
    with pytest.raises(RuntimeError, match="^Boolean alpha only supported for Boolean results"):
        x.add_(x, alpha=True)
    with pytest.raises(RuntimeError, match="^value cannot be converted to type int8_t without overflow"):
        n.addcmul(n, n, value=1e20)
    with pytest.raises(RuntimeError, match="^value cannot be converted to type float without overflow"):
        x.addcdiv(x, x, value=1e300)


@pytest.mark.parametrize(
    ("call", "expected", "dtype"),
    [
        ("div(16, 5, rounding_mode='trunc')", 3, "int64"),
        ("div(-7., 2, rounding_mode='floor')", -4.0, "float32"),
        ("div(7, 2, rounding_mode=None)", 3.5, "float32"),
        ("add(2, 3, alpha=2)", 8, "int64"),
        ("sub(3, 4.5, alpha=2)", -6.0, "float32"),
    ],
)
def test_options_between_two_numbers_give_a_tensor(call: str, expected: float, dtype: str) -> None:
    found = eval(f"pullback.{call}")
    assert isinstance(found, pullback.Tensor)
    assert (found.item(), found.dtype, found.shape) == (expected, getattr(pullback, dtype), ())


def test_a_quotient_of_two_numbers_is_a_size_in_a_compiled_function() -> None:
    def chunks(x: pullback.Tensor) -> pullback.Tensor:
        return x.view(pullback.div(x.shape[0], 7, rounding_mode="trunc") - 1, -1)

    assert pullback.compile(chunks, fullgraph=True)(pullback.zeros(36)).shape == (4, 9)


READ = [
    [], [1, 2], [1, 2.5], (1.5, -0.0), [[1, 2], (3, 4)], [[1.0], [2]], [[], []], [[1], [2, 3]], [[1, True]],
    [[[1.5]]], [1, 2**63], [2**24 + 1, 0.5], [1e300], [10**400, 1.0], [[1.0], 2.0], 7, 2**63, -0.0, [True],
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["", "float32", "float64", "int64", "float16", "bool"])
@pytest.mark.parametrize("data", READ, ids=[*map(str, range(len(READ)))])
def test_what_numpy_reads_at_once_is_what_is_read_by_number(data, dtype, monkeypatch) -> None:
    options = {"dtype": getattr(pullback, dtype)} if dtype else {}

    def read():
        try:
            found = pullback.tensor(data, **options)
        except (OverflowError, RuntimeError, TypeError, ValueError) as error:
            return type(error), str(error)
        return found.dtype, found.shape, found.numpy().tobytes()

    found = read()
    monkeypatch.setattr(sys.modules["pullback.tensor.data"], "_plain_dtype", lambda data, dtype: None)
    assert found == read()
