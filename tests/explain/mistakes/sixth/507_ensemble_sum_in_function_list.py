import torch
from torch import nn


class WeightedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weights):
        ctx.save_for_backward(x, *weights)
        return sum(w * x**k for k, w in enumerate(weights))

    @staticmethod
    def backward(ctx, grad_output):
        x, *weights = ctx.saved_tensors
        slope = sum(k * w * x ** (k - 1) for k, w in enumerate(weights) if k)
        return grad_output * slope, None


class Polynomial(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.tensor(0.5)), nn.Parameter(torch.tensor(1.5))
        self.inner = nn.Linear(3, 3)

    def forward(self, x):
        return WeightedSum.apply(self.inner(x), [self.a, self.b])


torch.manual_seed(0)
net = Polynomial()
loss = net(torch.randn(4, 3)).pow(2).mean()
loss.backward()
