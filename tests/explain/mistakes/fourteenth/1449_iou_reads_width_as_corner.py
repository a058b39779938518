import torch
from torch import nn


def iou(a, b):
    lo = torch.max(a[:, :2], b[:, :2])
    hi = torch.min(a[:, 2:], b[:, 2:])
    inter = (hi - lo).clamp(min=0).prod(1)
    area = a[:, 2:].prod(1) + b[:, 2:].prod(1)
    return inter / (area - inter + 1e-6)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4), nn.Softplus())
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
feats = torch.randn(32, 12)
boxes = torch.cat([torch.rand(32, 2) * 4 + 4, torch.rand(32, 2) * 2 + 1], 1)
for step in range(40):
    pred = net(feats) + torch.tensor([5.0, 5.0, 0.5, 0.5])
    loss = (1 - iou(pred, boxes)).mean() + 0.01 * (pred - boxes).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
