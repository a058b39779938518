import torch
from torch import nn


def corrupt(images, t, alpha_bar):
    noise = torch.randn_like(images)
    levels = alpha_bar[t]
    return levels.sqrt() * images + (1 - levels).sqrt() * noise, noise


torch.manual_seed(0)
alpha_bar = torch.linspace(0.99, 0.01, 50)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.SiLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    images, t = torch.rand(8, 1, 8, 8), torch.randint(0, 50, (8,))
    noisy, noise = corrupt(images, t, alpha_bar)
    loss = (net(noisy) - noise).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
