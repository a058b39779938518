import torch
from torch import nn


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x ** 2


torch.manual_seed(0)
weight = nn.Parameter(torch.randn(3, 1))
opt = torch.optim.Adam([weight], lr=0.02)
x = torch.randn(50, 3)
y = (x @ torch.tensor([[1.0], [0.5], [-1.0]])) ** 3
for step in range(20):
    opt.zero_grad()
    loss = (Cube.apply(x @ weight) - y).abs().mean()
    loss.backward()
    opt.step()
