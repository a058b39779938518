"""Paddings by the value itself, and overlapping windows added, are loops with eager's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call  # it needs llvmlite

from .agreement import agree

pad = torch.nn.functional.pad

LOOPS: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "mirrored": ((2, 3, 7), lambda x: pad(x, (2, 3), mode="reflect")),
    "mirrored as far as can be": ((2, 3, 7), lambda x: pad(x, (6, 6), mode="reflect")),
    "mirrored along two axes": ((2, 3, 5, 6), lambda x: pad(x, (2, 3, 1, 4), mode="reflect")),
    "mirrored along three axes": ((1, 2, 3, 3, 3), lambda x: pad(x, (1, 0, 0, 1, 1, 0), mode="reflect")),
    "continued": ((2, 3, 7), lambda x: pad(x, (2, 5), mode="replicate")),
    "continued along two axes": ((2, 3, 5, 6), lambda x: pad(x, (1, 1, 0, 2), mode="replicate")),
    "one element continued": ((2, 3, 1), lambda x: pad(x, (3, 2), mode="replicate")),
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


def test_one_number_beside_elements_of_a_border() -> None:
    """A kernel whose accesses are affine in no loop takes a single number, too."""

    def laplace(u: Any) -> Any:
        p = torch.nn.functional.pad(u, (1, 1, 1, 1))
        return 4 * u - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]

    def solve(b: Any) -> Any:
        u, r = torch.zeros_like(b), b
        p, rr = r, (r * r).sum()
        for _ in range(8):
            ap = laplace(p)
            a = rr / (p * ap).sum()
            u, r = u + a * p, r - a * ap
            new = (r * r).sum()
            p, rr = r + new / rr * p, new
        return u

    torch.manual_seed(0)
    agree(solve, torch.randn(48, 48, dtype=torch.float64))
