import torch
from torch import nn


class GeM(nn.Module):
    def __init__(self, p=3.0):
        super().__init__()
        self.p = nn.Parameter(torch.tensor(p))

    def forward(self, x):
        return x.pow(self.p).mean(dim=(-2, -1)).pow(1 / self.p)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 6, 3), GeM(), nn.Linear(6, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 0, 1])
loss = nn.functional.cross_entropy(net(x), y)
opt.zero_grad()
loss.backward()
opt.step()
