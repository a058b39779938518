import copy
import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 4)
        self.last = None

    def forward(self, x):
        self.last = torch.tanh(self.f(x))
        return self.last


torch.manual_seed(0)
net = Tracker()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
snapshots = []
for _ in range(2):
    x = torch.randn(6, 4)
    loss = (net(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    snapshots.append(copy.deepcopy(net))
