import torch
from torch import nn


def ranks(v):
    return v.argsort().argsort().float()


def spearman_loss(pred, y):
    a, b = ranks(pred), ranks(y)
    a, b = a - a.mean(), b - b.mean()
    return 1 - (a * b).sum() / (a.norm() * b.norm())


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(25, 4)
loss = spearman_loss(net(x).squeeze(1), x[:, 0])
opt.zero_grad()
loss.backward()
opt.step()
