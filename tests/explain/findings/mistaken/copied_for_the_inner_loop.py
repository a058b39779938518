"""Copied for the inner loop."""

import copy

import pullback as torch
from pullback import nn

torch.manual_seed(0)


def adapted(model, x, y):
    fast = copy.deepcopy(model)  # <-- culprit
    optimizer = torch.optim.SGD(fast.parameters(), lr=0.1)
    nn.functional.mse_loss(fast(x), y).backward()
    optimizer.step()
    return fast


model = nn.Linear(2, 1)
outer = torch.optim.Adam(model.parameters())
for _ in range(2):
    outer.zero_grad()
    fast = adapted(model, torch.randn(4, 2), torch.randn(4, 1))
    nn.functional.mse_loss(fast(torch.randn(4, 2)), torch.randn(4, 1)).backward()
    outer.step()
