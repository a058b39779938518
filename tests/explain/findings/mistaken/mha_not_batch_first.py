"""Attention goes from sample to sample."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)


class C(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.out = nn.Linear(3, 8), nn.Linear(8, 2)
        self.att = nn.MultiheadAttention(8, 2)  # <-- culprit
    def forward(self, x):
        h = self.inp(x)
        h, _ = self.att(h, h, h)
        return self.out(h.mean(1))
net = C()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(3):
    x, y = torch.randn(16, 6, 3), torch.randint(0, 2, (16,))
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
