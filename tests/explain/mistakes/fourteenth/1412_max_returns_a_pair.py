import torch
from torch import nn


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.point = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 32))
        self.head = nn.Linear(32, 4)

    def forward(self, pts):
        h = self.point(pts)
        pooled = torch.max(h, dim=1)
        return self.head(pooled)


torch.manual_seed(0)
net = PointNet()
opt = torch.optim.Adam(net.parameters())
clouds, labels = torch.randn(6, 20, 3), torch.randint(0, 4, (6,))
loss = nn.functional.cross_entropy(net(clouds), labels)
loss.backward()
opt.step()
