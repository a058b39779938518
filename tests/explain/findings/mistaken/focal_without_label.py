"""The weight of a focal loss does not know the label."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(12, 4)
y = (x[:, :1] > 0).float()
for _ in range(3):
    p = net(x).sigmoid()
    ce = F.binary_cross_entropy(p, y, reduction="none")
    loss = (ce * (1 - p) ** 2).mean()  # <-- culprit
    opt.zero_grad()
    loss.backward()
    opt.step()
