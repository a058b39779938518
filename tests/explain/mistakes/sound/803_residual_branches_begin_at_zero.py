import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n, n), nn.ReLU(), nn.Linear(n, n))
        self.alpha = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x + self.alpha * self.net(x)

torch.manual_seed(0)
net = nn.Sequential(Block(6), Block(6), nn.Linear(6, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
loss = nn.functional.cross_entropy(net(torch.randn(5, 6)), torch.randint(0, 2, (5,)))
loss.backward()
optimizer.step()
