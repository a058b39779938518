import torch
from torch import nn


def safe_ratio(a, b):
    return torch.where(b.abs() > 0, a / b, torch.zeros_like(a))


torch.manual_seed(0)
net = nn.Linear(4, 4)
visible = torch.tensor([1.0, 0.0, 1.0, 1.0])
gains = net(torch.randn(5, 4)).exp() * visible
spend = torch.rand(5, 4) + 0.1
ratio = safe_ratio(spend, gains)
loss = ratio.clamp(max=50).mean()
loss.backward()
print(net.weight.grad)
