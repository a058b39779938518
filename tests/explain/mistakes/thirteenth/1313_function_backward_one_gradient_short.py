import torch
from torch import nn


class LeakyFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad_out):
        x, = ctx.saved_tensors
        slope = ctx.slope
        return grad_out * torch.where(x > 0, 1.0, slope)


class Leaky(nn.Module):
    def forward(self, x):
        return LeakyFn.apply(x, 0.1)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), Leaky(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.randn(10, 3)).pow(2).mean()
loss.backward()
opt.step()
