"""A derivative of one's own."""

from typing import Any, assert_type

import torch
from torch import Tensor


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
y: Tensor = Cube.apply(x)
y.backward(torch.ones(2))
assert x.grad is not None
assert_type(x.grad * 2, Tensor)
(g,) = torch.autograd.grad(x.sum(), (x,))
assert_type(x.detach().requires_grad, bool)
assert_type(x.is_leaf, bool)
