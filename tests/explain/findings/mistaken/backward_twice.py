"""One loss goes backward twice."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), 1e-2)
x, y = torch.randn(12, 5), torch.randn(12, 1)
for _ in range(4):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward(retain_graph=True)
    loss.backward()  # <-- culprit
    opt.step()
