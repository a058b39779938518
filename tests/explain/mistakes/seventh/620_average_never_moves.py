import copy

import torch
from torch import nn


def update(average, model, decay):
    with torch.no_grad():
        for a, b in zip(average.parameters(), model.parameters()):
            a = decay * a + (1 - decay) * b


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
average = copy.deepcopy(model).requires_grad_(False)
before = [p.clone() for p in average.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(4):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update(average, model, 0.9)
