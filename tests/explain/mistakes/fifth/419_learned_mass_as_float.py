import math
import torch
from torch import nn


class Pendulum(nn.Module):
    def __init__(self):
        super().__init__()
        self.length = nn.Parameter(torch.tensor(1.3))
        self.amplitude = nn.Parameter(torch.tensor(0.4))

    def forward(self, t):
        frequency = math.sqrt(9.81 / float(self.length))
        return self.amplitude * torch.cos(frequency * t)


swing = Pendulum()
optimizer = torch.optim.Adam(swing.parameters(), lr=1e-2)
t = torch.linspace(0, 5, 40)
observed = 0.4 * torch.cos(2.5 * t)
for _ in range(3):
    optimizer.zero_grad()
    loss = (swing(t) - observed).pow(2).mean()
    loss.backward()
    optimizer.step()
