import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Linear(d, d)

    def forward(self, x):
        return self.net(x)


def noise_levels(x, sigmas):
    noisy = torch.empty_like(x)
    for sigma in sigmas:
        torch.add(x, torch.randn_like(x), alpha=sigma, out=noisy)
        yield noisy, sigma


torch.manual_seed(0)
model = Denoiser(3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(6, 3)
losses = [(model(noisy) - x).pow(2).mean() / s for noisy, s in noise_levels(x, [0.1, 0.5, 1.0])]
loss = torch.stack(losses).sum()
optimizer.zero_grad()
loss.backward()
optimizer.step()
