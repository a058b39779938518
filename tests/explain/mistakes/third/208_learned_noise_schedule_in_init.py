import torch
from torch import nn


class Diffusion(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(steps) - 3)
        self.alpha_bar = torch.cumprod(1 - torch.sigmoid(self.raw), 0)
        self.net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 2))

    def forward(self, x, t):
        a = self.alpha_bar[t][:, None]
        noise = torch.randn_like(x)
        noisy = a.sqrt() * x + (1 - a).sqrt() * noise
        return (self.net(torch.cat([noisy, t[:, None] / 10], 1)) - noise).pow(2).mean()


torch.manual_seed(0)
model = Diffusion(10)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(4):
    loss = model(torch.randn(16, 2), torch.randint(0, 10, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
