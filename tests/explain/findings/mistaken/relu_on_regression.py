"""Predictions end in a relu, and targets are negative as well."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.ReLU())  # <-- culprit
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for _ in range(3):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
