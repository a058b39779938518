import torch
from torch import nn

torch.manual_seed(0)
tower = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(tower.parameters(), lr=1e-3)


def triplet(anchor, positive, negative, margin=0.0):
    gap = (anchor - positive).norm(dim=1) - (anchor - negative).norm(dim=1) + margin
    hard = gap[gap > 0]
    return hard.mean()


base = torch.randn(6, 10)
loss = triplet(tower(base), tower(base + 0.01), tower(torch.randn(6, 10) * 5))
opt.zero_grad()
loss.backward()
opt.step()
