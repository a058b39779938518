import torch
from torch import nn


def pairwise(z):
    square = (z * z).sum(1)
    d2 = square[:, None] + square[None, :] - 2 * z @ z.T
    return d2.clamp(min=0).sqrt()


torch.manual_seed(0)
encoder = nn.Linear(6, 3)
x = torch.randn(8, 6)
x[5] = x[2]
group = torch.tensor([0, 1, 2, 0, 1, 2, 3, 3])
same = (group[:, None] == group[None, :]).float()
d = pairwise(encoder(x))
loss = (same * d.pow(2) + (1 - same) * (1 - d).clamp(min=0).pow(2)).mean()
loss.backward()
print(encoder.weight.grad)
