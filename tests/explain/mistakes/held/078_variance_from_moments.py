import torch
from torch import nn


class PoolStatistics(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(1, d)
        self.out = nn.Linear(2 * d, 1)

    def forward(self, x):
        h = self.fc(x)
        mean = h.mean(1)
        std = torch.sqrt((h * h).mean(1) - mean * mean)
        return self.out(torch.cat([mean, std], dim=1))


torch.manual_seed(0)
model = PoolStatistics(24)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
temperature = 293.15 + 1e-5 * torch.randn(4, 9, 1)
loss = model(temperature).pow(2).mean()
optimizer.zero_grad()
loss.backward()
print(loss.item(), model.fc.weight.grad)
