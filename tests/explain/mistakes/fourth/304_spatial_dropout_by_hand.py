import torch
from torch import nn


class Conv(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 4, 3), nn.Conv2d(4, 2, 3)
        self.p = p

    def drop(self, h):
        if self.training:
            h *= (torch.rand(h.shape[0], h.shape[1], 1, 1) > self.p).float()
        return h

    def forward(self, x):
        h = self.drop(torch.sigmoid(self.first(x)))
        return self.second(h).mean((2, 3))


torch.manual_seed(0)
net = Conv(0.2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.rand(3, 1, 8, 8), torch.tensor([0, 1, 0])
loss = nn.functional.cross_entropy(net(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
