"""A mean counts what a mask takes out."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(5, 1)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(3):
    x, y = torch.randn(12, 7, 5), torch.randn(12, 7)
    mask = (torch.arange(7)[None] < torch.randint(1, 8, (12, 1))).float()
    loss = (F.mse_loss(net(x).squeeze(-1), y, reduction="none") * mask).mean()  # <-- culprit
    opt.zero_grad()
    loss.backward()
    opt.step()
