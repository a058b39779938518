"""A custom function keeps its derivative, made in forward, so that the derivative has no history."""

import pullback as torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.slope = 3 * x * x
        return x**3

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope


x = torch.tensor([2.0, 1.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
y = Cube.apply(x)
dx = torch.autograd.grad(y.sum(), x, create_graph=True)[0]  # <-- culprit
loss = (dx * b).sum()
loss.backward()
