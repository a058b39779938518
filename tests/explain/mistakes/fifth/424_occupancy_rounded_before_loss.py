import torch
from torch import nn


class Voxels(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, points):
        return torch.round(torch.sigmoid(self.net(points)))


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
model = Voxels(net)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
points = torch.rand(30, 3)
inside = (points.norm(dim=1, keepdim=True) < 0.8).float()
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.l1_loss(model(points), inside).backward()
    optimizer.step()
