import torch
from torch import nn


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(len(real), 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_()
    score = critic(mixed)
    grad, = torch.autograd.grad(score, mixed, torch.ones_like(score))
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-4)
for step in range(3):
    real, fake = torch.randn(8, 2) + 1, torch.randn(8, 2)
    optimizer.zero_grad()
    (critic(fake).mean() - critic(real).mean()).backward()
    penalty = 10 * gradient_penalty(critic, real, fake)
    penalty.backward()
    optimizer.step()
