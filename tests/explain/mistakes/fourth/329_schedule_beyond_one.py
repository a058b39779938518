import torch
from torch import nn


class Schedule:
    def __init__(self, steps):
        t = torch.linspace(0, 1, steps)
        self.alpha_bar = torch.cos((t - 0.02) * 1.5) ** 2 + 0.01

    def noisy(self, x, t, noise):
        a = self.alpha_bar[t].view(-1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise


torch.manual_seed(0)
schedule, net = Schedule(20), nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, t = torch.randn(8, 2), torch.tensor([3, 9, 0, 12, 19, 1, 7, 5])
noise = torch.randn_like(x)
loss = (net(schedule.noisy(x, t, noise)) - noise).pow(2).mean()
optimizer.zero_grad()
loss.backward()
print(loss)
