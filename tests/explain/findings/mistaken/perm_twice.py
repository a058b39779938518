"""Inputs and labels are shuffled by two permutations."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
x = torch.randn(40, 5)
y = (x.sum(1) > 0).long()
net = nn.Linear(5, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(4):
    x = x[torch.randperm(40)]
    y = y[torch.randperm(40)]  # <-- culprit
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
