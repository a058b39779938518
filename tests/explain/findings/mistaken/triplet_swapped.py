"""Positive and negative of a triplet are swapped."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(5, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
a = torch.randn(16, 5)
p, n = a + 0.1 * torch.randn(16, 5), 3 * torch.randn(16, 5)
for _ in range(3):
    loss = F.triplet_margin_loss(net(a), net(n), net(p))  # <-- culprit
    opt.zero_grad()
    loss.backward()
    opt.step()
