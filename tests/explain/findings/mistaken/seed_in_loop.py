"""The seed is set in each turn."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(6):
    torch.manual_seed(42)  # <-- culprit
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
