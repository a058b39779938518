import torch
from torch import nn
import torch.nn.functional as F


class SimSiam(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
        self.pred = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 8))

    def forward(self, v):
        z = self.enc(v)
        return self.pred(z), z


def distance(p, z):
    return -F.cosine_similarity(p.detach(), z, dim=1).mean()


torch.manual_seed(0)
model = SimSiam()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(5):
    x = torch.randn(32, 10)
    p1, z1 = model(x + 0.1 * torch.randn_like(x))
    p2, z2 = model(x + 0.1 * torch.randn_like(x))
    loss = 0.5 * (distance(p1, z2) + distance(p2, z1))
    opt.zero_grad()
    loss.backward()
    opt.step()
