import torch
from torch import nn


def constrain(module, limit=1.0):
    with torch.no_grad():
        for p in module.parameters():
            if p.dim() > 1:
                p.mul_(limit / p.norm(dim=1, keepdim=True).clamp(min=limit))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in zip(torch.randn(3, 8, 6), torch.randint(0, 4, (3, 8))):
    loss = nn.functional.cross_entropy(model(x), y)
    constrain(model)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
