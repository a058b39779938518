import torch
from torch import nn


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gain):
        ctx.save_for_backward(x, gain)
        return x * gain

    @staticmethod
    def backward(ctx, grad):
        x, gain = ctx.saved_tensors
        return grad * gain, None


class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain, self.lin = nn.Parameter(torch.ones(n)), nn.Linear(n, 1)

    def forward(self, x):
        return self.lin(Scale.apply(x, self.gain))


torch.manual_seed(0)
layer = Gain(4)
layer(torch.randn(6, 4)).pow(2).mean().backward()
