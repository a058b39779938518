import torch
from torch import nn


def f1_loss(logits, y):
    hits = (torch.sigmoid(logits) > 0.5).float()
    tp = (hits * y).sum()
    return 1 - 2 * tp / (hits.sum() + y.sum())


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 5))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(30, 8)
y = (torch.rand(30, 5) < 0.3).float()
for epoch in range(2):
    loss = f1_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
