import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
gen = nn.Linear(4, 2)
opt = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))


def penalty(real, fake):
    eps = torch.rand(real.size(0), 1)
    mix = eps * real + (1 - eps) * fake
    score = critic(mix)
    g = torch.autograd.grad(score.sum(), mix, create_graph=True)[0]
    return (g.norm(2, dim=1) - 1).pow(2).mean()


for step in range(3):
    real = torch.randn(16, 2) * 0.3 + 1
    fake = gen(torch.randn(16, 4)).detach()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
    opt.zero_grad()
    loss.backward()
    opt.step()
