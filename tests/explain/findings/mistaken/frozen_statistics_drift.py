"""Frozen batch norm is called in training mode."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
trunk = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU())
for p in trunk.parameters():
    p.requires_grad = False
net = nn.Sequential(trunk, nn.Linear(6, 2))
net.train()  # <-- culprit
opt = torch.optim.SGD(net[1].parameters(), lr=0.1)
x, y = 3 + torch.randn(8, 4), torch.randint(0, 2, (8,))
for _ in range(3):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
