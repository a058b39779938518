"""Broadcast in a helper."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


def squared(prediction, target):
    return (prediction - target).square().mean()  # <-- culprit


model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    x = torch.randn(16, 3)
    optimizer.zero_grad()
    squared(model(x), x.sum(1)).backward()
    optimizer.step()
