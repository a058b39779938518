import torch
import torch.nn.functional as F
from torch import nn


class Routed(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x):
        pick = F.gumbel_softmax(self.gate(x), tau=1.0, hard=True)
        return sum(pick[:, k, None] * e(x) for k, e in enumerate(self.experts))


torch.manual_seed(0)
net = Routed(6, 3)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.randn(24, 6)
    loss = F.mse_loss(net(x), x.flip(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
