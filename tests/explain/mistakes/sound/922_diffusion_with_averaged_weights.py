import copy

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, steps, size):
        super().__init__()
        self.time = nn.Embedding(steps, size)
        self.net = nn.Sequential(nn.Linear(2 + size, 32), nn.SiLU(), nn.Linear(32, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], dim=-1))


torch.manual_seed(0)
alpha = torch.cumprod(1 - torch.linspace(1e-4, 0.2, 10), 0)
model = Denoiser(10, 4)
average = copy.deepcopy(model).eval().requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(5):
    x, t, noise = torch.randn(16, 2), torch.randint(0, 10, (16,)), torch.randn(16, 2)
    noisy = alpha[t].sqrt()[:, None] * x + (1 - alpha[t]).sqrt()[:, None] * noise
    loss = nn.functional.mse_loss(model(noisy, t), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for a, b in zip(average.parameters(), model.parameters()):
        a.data.mul_(0.99).add_(b.data, alpha=0.01)
