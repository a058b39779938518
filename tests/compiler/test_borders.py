"""Paddings by the value itself, and overlapping windows added, are loops with eager's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.lower.lowered import Call  # it needs llvmlite

pad = torch.nn.functional.pad

LOOPS: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "mirrored": ((2, 3, 7), lambda x: pad(x, (2, 3), mode="reflect")),
    "mirrored as far as can be": ((2, 3, 7), lambda x: pad(x, (6, 6), mode="reflect")),
    "mirrored along two axes": ((2, 3, 5, 6), lambda x: pad(x, (2, 3, 1, 4), mode="reflect")),
    **{
        f"windows of {size} every {step}": ((2, 3, 9), lambda x, k=size, step=step: x.unfold(2, k, step))
        for size, step in ((3, 1), (3, 2), (2, 3), (9, 2), (1, 1))
    },
    "windows of an outer axis": ((2, 5, 4), lambda x: x.unfold(1, 3, 2)),
}
FORWARD = {
    "outermost": ((2, 3, 7), lambda x: pad(x, (2, 9), mode="replicate")),
    "outermost along two axes": ((2, 3, 5, 6), lambda x: pad(x, (2, 3, 1, 4), mode="replicate")),
    "cut and mirrored": ((2, 3, 7), lambda x: pad(x, (-1, 3), mode="reflect")),
}


def kernels(compiled: Any) -> list[str]:
    return [s.op for s in compiled._native.specializations[-1].forward.steps if isinstance(s, Call)]


@pytest.mark.parametrize("name", LOOPS)
def test_values_and_gradients_are_eagers(name):
    shape, form = LOOPS[name]

    def step(x: Any) -> Any:
        y = form(x)
        weights = torch.arange(1.0, 1 + y.numel()).reshape(y.shape)
        return y.detach(), *torch.autograd.grad((y * y * weights).sum(), x)

    x = torch.randn(*shape, requires_grad=True)
    compiled = torch.compile(step)
    for expected, found in zip(step(x), compiled(x), strict=True):
        assert torch.allclose(expected, found, rtol=1e-5, atol=1e-5)
    assert not kernels(compiled)


@pytest.mark.parametrize("name", FORWARD)
def test_values_are_eagers(name):
    shape, form = FORWARD[name]
    x = torch.randn(*shape)
    compiled = torch.compile(form)
    assert torch.equal(compiled(x), form(x))
    assert not kernels(compiled)
