import torch
from torch import nn


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward((x >= low) & (x <= high))
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        inside, = ctx.saved_tensors
        grad_output = grad_output * inside
        return None, None, None


class ClipLayer(nn.Module):
    def forward(self, x):
        return Clip.apply(x, -1.0, 1.0)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), ClipLayer(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(6, 4)).pow(2).mean().backward()
    optimizer.step()
