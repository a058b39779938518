"""A weight is never initialised."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)


class L(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(3, 4))  # <-- culprit
        self.bias = nn.Parameter(torch.zeros(3))
    def forward(self, x):
        return F.linear(x, self.weight, self.bias)
net = L()
opt = torch.optim.SGD(net.parameters(), 1e-2)
x = torch.randn(32, 4)
y = torch.randint(0, 3, (32,))
for _ in range(3):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
