import torch
from torch import nn


def bce(p, y):
    return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


torch.manual_seed(0)
age = torch.randint(20, 90, (16, 1)).float()
income = torch.randint(10_000, 90_000, (16, 1)).float()
x = torch.cat([age, income], dim=1)
y = (income > 40_000).float()
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
p = torch.sigmoid(model(x))
loss = bce(p, y)
loss.backward()
opt.step()
