import torch
from torch import nn


def batches(features, targets, size):
    order = torch.randperm(len(targets))
    for part in order.split(size):
        yield features[part], targets[part]


torch.manual_seed(1)
features = torch.randn(16, 4)
targets = features.sum(1)
targets[11] = float("nan")
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for x, y in batches(features, targets, 8):
    loss = nn.functional.huber_loss(model(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
