"""Numbers that are others in each call are operands of a plan (`tensor.inline_cache.numbers`), with the bits
and errors of Python's call.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pullback as torch
import pullback.nn.functional as F
from tests.tensor.test_inline_cache import _native, inline_cache, plans  # noqa: F401  # a fixture of all tests

pytest.importorskip("llvmlite")

#: Functions of three tensors and a number, which they take as an operand.
TAKEN = {
    "add": lambda x, y, z, v: torch.add(x, y, alpha=v),
    "add_": lambda x, y, z, v: x.clone().add_(y, alpha=-v),
    "sub": lambda x, y, z, v: torch.sub(x, y, alpha=v),
    "mul_": lambda x, y, z, v: x.clone().mul_(v),
    "addcmul": lambda x, y, z, v: torch.addcmul(x, y, z, value=v),
    "lerp": lambda x, y, z, v: torch.lerp(x, y, v / 8),
    "clamp": lambda x, y, z, v: torch.clamp(x, -v, v),
    "leaky_relu": lambda x, y, z, v: F.leaky_relu(x, v),
    "a part of leaky_relu": lambda x, y, z, v: F.leaky_relu(x, v / 8),
    "softplus": lambda x, y, z, v: F.softplus(x, v),
    "where": lambda x, y, z, v: torch.where(y > 0, x, v),
}
#: What computes of the number alone has no such plan.
COMPUTED = {
    "lerp": lambda x, y, z, v: torch.lerp(x, y, 1 - v / 8),
    "pairwise_distance": lambda x, y, z, v: F.pairwise_distance(x, y, 1 + v),
    "normalize": lambda x, y, z, v: F.normalize(x, 1 + v),
    "cosine_similarity": lambda x, y, z, v: F.cosine_similarity(x, y, eps=v),
    "pow": lambda x, y, z, v: torch.pow(x.abs(), v),
}


def operands(dtype):
    stream = np.random.RandomState(0)
    return [torch.tensor(stream.standard_normal((3, 5)).astype(dtype)) for _ in range(3)]


def called(function, *args):
    """Functions of Python's that a call makes."""
    names = []
    sys.setprofile(lambda frame, event, arg: names.append(frame.f_code.co_name) if event == "call" else None)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return names


def numbers(seed, count=6 * inline_cache._CALLS):
    return [float(v) for v in np.random.RandomState(seed).uniform(1.0, 3.9, count)]


def in_python(monkeypatch, function, given, values):
    with monkeypatch.context() as patch:
        patch.setattr(inline_cache, "_CALLS", 1 << 40)
        patch.setattr(inline_cache.InlineCache, "specialise", lambda *args, **named: None)
        for cache in inline_cache._tables:
            cache.forget()
        return [function(*given, v).numpy().tobytes() for v in values]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TAKEN)
def test_a_number_is_an_operand(name, dtype, monkeypatch):
    function, given = TAKEN[name], operands(dtype)
    for v in numbers(0):
        function(*given, v)
    others = numbers(1, 100)
    assert "general" not in [made for v in others for made in called(function, *given, v)]
    found = [function(*given, v).numpy().tobytes() for v in others]
    assert found == in_python(monkeypatch, function, given, others)


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_computed_of_a_number_has_its_bits(name, monkeypatch):
    function, given = COMPUTED[name], operands("float32")
    for v in numbers(0):
        function(*given, v)
    others = numbers(1, 200)
    found = [function(*given, v).numpy().tobytes() for v in others]
    assert found == in_python(monkeypatch, function, given, others)


def test_numbers_beyond_the_bounds_are_pythons():
    x, y, _ = operands("float32")
    for v in numbers(0):
        torch.add(x, y, alpha=v)
        F.softshrink(x, v)
    assert torch.add(x, y, alpha=0.0).equal(x) and torch.add(x, y, alpha=2**0.5 * 1e-40).dtype is x.dtype
    assert torch.add(x, y, alpha=float("nan")).isnan().all()
    with pytest.raises(RuntimeError, match="overflow"):
        torch.add(x, y, alpha=1e39)
    with pytest.raises(RuntimeError, match="lambda must be"):
        F.softshrink(x, -0.5)
    assert torch.add(x, y, alpha=2).equal(x + 2 * y)


def test_a_number_that_stays_is_no_operand():
    """``threshold`` has one that changes and one that does not, which another call may have otherwise."""
    x, _, _ = operands("float32")
    for v in numbers(0):
        F.threshold(x, v, 7.0)
    assert set(F.threshold(x, 1.123, 7.0)[x <= 1.123].tolist()) == {7.0}
    assert set(F.threshold(x, 1.124, 8.0)[x <= 1.124].tolist()) == {8.0}


def test_histories_are_recorded():
    x, y, _ = operands("float32")
    for v in numbers(0):
        torch.add(x, y, alpha=v)
    y.requires_grad_()
    (g,) = torch.autograd.grad(torch.add(x, y, alpha=1.25).sum(), y)
    assert (g == 1.25).all()
