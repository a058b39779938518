"""The optimizer is made anew in each turn."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(5, 1)
x, y = torch.randn(12, 5), torch.randn(12, 1)
for _ in range(6):
    opt = torch.optim.Adam(net.parameters(), 1e-2)  # <-- culprit
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
