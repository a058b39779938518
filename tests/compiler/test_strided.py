"""Views by sizes and strides, compiled: eager's numbers and gradients, whatever order the axes lie in."""

from __future__ import annotations

import pytest

import pullback as torch

from .agreement import array_kernels

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

VIEWS = {
    "of a transpose": lambda x: (x * 2).t().as_strided((2, 2), (1, 2)),
    "of a part": lambda x: (x * 2).contiguous()[1:].as_strided((2, 2), (1, 2)),
    "windows that overlap": lambda x: (x * 2).as_strided((3, 2, 2), (3, 1, 1)),
    "of permuted axes": lambda x: (x * 2).reshape(2, 2, 3).permute(2, 0, 1).as_strided((3, 2, 3), (2, 1, 3)),
    "of an argument": lambda x: x.as_strided((2, 5), (1, 2)).sin(),
}


def trained(view):
    def step(x):
        y = view(x)
        loss = (y * torch.arange(y.numel()).view(y.shape).cos()).sum()
        return loss, *torch.autograd.grad(loss, x)

    return step


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", VIEWS)
def test_numbers_and_gradients_are_those_of_eager(name, turned):
    x = torch.randn(4, 3).t() if turned else torch.randn(3, 4)
    x.requires_grad_()
    step = trained(VIEWS[name])
    compiled = torch.compile(step, backend="native", fullgraph=True)
    for found, expected in zip(compiled(x), step(x), strict=True):
        torch.testing.assert_close(found, expected)
    assert array_kernels(compiled) == []


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[:, :2].as_strided((2, 2), (1, 2)),
        lambda x: x.t()[:, ::2].as_strided((2, 2), (1, 6)),
        lambda x: (x[:, :2] * 1)[:, :1].as_strided_((2, 2), (1, 2)),
        lambda x: torch.as_strided(x[:, :2], (2, 2), (1, 2)) * 2,
        lambda x: torch.as_strided_copy(x[:, :2], (2, 2), (1, 2)),
        lambda x: x[:1].expand(3, 4).as_strided((2, 2), (1, 2)),
    ],
)
def test_elements_that_the_tensor_does_not_hold_are_left_to_eager(view):
    x = torch.randn(3, 4)
    compiled = torch.compile(view, backend="native")
    with pytest.warns(UserWarning, match="elements that the tensor does not hold"):
        found = compiled(x)
    torch.testing.assert_close(found, view(x))
