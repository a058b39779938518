import torch
from torch import nn


def samples(count):
    for _ in range(count):
        x = torch.randn(8, 4)
        yield x, (x.sum(1) > 0).long()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
stream = samples(4)
losses = []
for _ in range(5):
    for x, y in stream:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
