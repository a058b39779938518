import torch
from torch import nn


def gradient_penalty(critic, real, fake):
    a = torch.rand(len(real), 1)
    mixed = (a * real + (1 - a) * fake).requires_grad_()
    (g,) = torch.autograd.grad(critic(mixed).sum(), mixed)
    return (g.norm(dim=1) - 1).pow(2).mean()


torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1))
opt = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
for _ in range(5):
    real, fake = torch.randn(16, 2), torch.randn(16, 2) + 2
    penalty = gradient_penalty(critic, real, fake)
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    opt.zero_grad()
    loss.backward()
    opt.step()
