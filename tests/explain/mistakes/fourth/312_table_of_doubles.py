import numpy as np
import torch
from torch import nn


def load():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20, 5))
    return torch.from_numpy(table[:, :4]), torch.from_numpy(table[:, 4:])


torch.manual_seed(0)
x, y = load()
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
