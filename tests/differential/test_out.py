"""`out=` of a tensor with a history, in torch and in pullback: who refuses it, and what is left behind it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pullback

torch = pytest.importorskip("torch")

OUTS = {
    "plain": "T.zeros(2)",
    "leaf": "T.zeros(2, requires_grad=True)",
    "history": "T.zeros(2, requires_grad=True) * 1",
    "empty": "T.zeros(0, requires_grad=True) * 1",
    "view of a leaf": "T.zeros(2, 2, requires_grad=True)[0]",
    "view": "(T.zeros(2, 2, requires_grad=True) * 1)[0]",
    "one of several views": "(T.zeros(2, 2, requires_grad=True) * 1).unbind(0)[0]",
    "integers": "T.zeros(2, dtype=T.int64)",
}

CALLS = """
T.bitwise_and(a.long(), a.long(), out=o)
T.bitwise_not(a.long(), out=o)
T.bitwise_left_shift(a.long(), 1, out=o)
T.gcd(a.long(), a.long(), out=o)
T.floor_divide(a, a, out=o)
T.heaviside(a, a, out=o)
T.softmax(a * 0, 0, out=o)
T.slice_copy(a, 0, out=o)
T.arange(2, out=o)
T.full((2,), 1.0, out=o)
T.argmax(a, 0, out=o)
T.isin(a, a, out=o)
T.bucketize(a, a.detach(), out=o)
T.signbit(a, out=o)
T.nextafter(a, a, out=o)
T.lerp(a, a, 0.5, out=o)
""".strip().splitlines()


def outcome(T: Any, call: str, out: str, requires_grad: bool, grad: bool) -> Any:
    a, o = T.tensor([3.0, 2.0], requires_grad=requires_grad), eval(out, {"T": T})
    try:
        with T.set_grad_enabled(grad):
            made = eval(call, {"T": T, "a": a, "o": o})
    except (RuntimeError, TypeError) as error:
        return type(error).__name__, str(error)
    if not grad:
        return made is o, made.tolist(), made._version
    found = made is o, made.requires_grad, type(made.grad_fn).__name__, made.tolist(), made._version
    try:
        made.sum().backward()
    except RuntimeError as error:
        return *found, str(error)
    return found


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("out", OUTS)
def test_torch_does_the_same(call: str, out: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tensor that is resized
        for requires_grad, grad in [(False, True), (True, True), (False, False)]:
            given = call, OUTS[out], requires_grad, grad
            assert outcome(pullback, *given) == outcome(torch, *given)
