"""Targets with fractions are given to a tensor of integers."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 2)
y = torch.tensor([[1.5], [2.25], [0.75], [1.0]], dtype=torch.int32)  # <-- culprit
for _ in range(3):
    loss = F.l1_loss(net(x), y.to(x.dtype))
    opt.zero_grad()
    loss.backward()
    opt.step()
