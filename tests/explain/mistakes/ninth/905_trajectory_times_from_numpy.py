import numpy as np
import torch
from torch import nn


class Planner(nn.Module):
    def __init__(self):
        super().__init__()
        self.goal = nn.Parameter(torch.tensor([1.0, 2.0]))
        self.gain = nn.Parameter(torch.tensor(0.5))

    def path(self, steps):
        return np.linspace(np.zeros(2), self.goal.detach().numpy(), steps)

    def forward(self, steps):
        path = torch.from_numpy(self.path(steps)).float()
        return self.gain * path


planner = Planner()
optimizer = torch.optim.Adam(planner.parameters(), lr=0.1)
wanted = torch.linspace(0, 3, 8)[:, None].repeat(1, 2)
for _ in range(3):
    loss = (planner(8) - wanted).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
