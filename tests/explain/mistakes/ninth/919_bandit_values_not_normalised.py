import torch
from torch import nn


class Bandit(nn.Module):
    def __init__(self, arms):
        super().__init__()
        self.value = nn.Parameter(torch.linspace(0, 500, arms))

    def chances(self, heat):
        e = torch.exp(self.value / heat)
        return e / e.sum()


torch.manual_seed(0)
bandit = Bandit(5)
optimizer = torch.optim.SGD(bandit.parameters(), lr=0.1)
chance = bandit.chances(0.5)
reward = torch.tensor([0.0, 1, 0, 2, 0.5])
loss = -(chance * reward).sum()
optimizer.zero_grad()
loss.backward()
optimizer.step()
