import torch
from torch import nn


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.local = nn.Sequential(nn.Linear(3, 16), nn.ReLU())
        self.out = nn.Linear(16, 4)

    def forward(self, cloud):
        h = self.local(cloud)
        pooled = torch.max(h, dim=1)
        return self.out(pooled)


torch.manual_seed(0)
net = PointNet()
clouds, kinds = torch.randn(5, 30, 3), torch.randint(0, 4, (5,))
loss = nn.functional.cross_entropy(net(clouds), kinds)
loss.backward()
