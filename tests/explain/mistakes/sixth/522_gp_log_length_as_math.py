import math

import torch
from torch import nn


class Kernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_length = nn.Parameter(torch.tensor(0.0))
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        length = math.exp(self.log_length)
        return self.scale * torch.exp(-((x[:, None] - x[None]) / length) ** 2)


x = torch.linspace(0, 1, 6)
kernel = Kernel()
optimizer = torch.optim.Adam(kernel.parameters(), lr=0.05)
for _ in range(2):
    covariance = kernel(x) + 0.1 * torch.eye(6)
    loss = torch.logdet(covariance) + x @ torch.linalg.solve(covariance, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
