import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
        self.mean, self.var = nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), self.var(h)


torch.manual_seed(0)
model, criterion = Forecaster(), nn.GaussianNLLLoss()
x, y = torch.randn(10, 4), torch.randn(10, 1)
mean, var = model(x)
loss = criterion(mean, y, var)
loss.backward()
