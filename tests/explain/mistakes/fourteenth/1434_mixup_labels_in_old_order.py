import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


def mixup(x, y, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample()
    perm = torch.roll(torch.arange(x.size(0)), 1)
    mixed = lam * x + (1 - lam) * x[perm]
    return mixed, y, y, lam


model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(60, 6)
y = x[:, :3].argmax(1)
for epoch in range(20):
    mx, ya, yb, lam = mixup(x, y)
    out = model(mx)
    loss = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
