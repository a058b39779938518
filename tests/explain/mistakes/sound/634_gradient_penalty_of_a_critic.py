import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
generator = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
c_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))


def penalty(real, fake):
    mix = torch.rand(len(real), 1)
    middle = (mix * real + (1 - mix) * fake).requires_grad_()
    slope, = torch.autograd.grad(critic(middle).sum(), middle, create_graph=True)
    return 10 * (slope.norm(dim=1) - 1).pow(2).mean()


for step in range(6):
    real, fake = torch.randn(8, 2) + 1, generator(torch.randn(8, 3)).detach()
    loss = critic(fake).mean() - critic(real).mean() + penalty(real, fake)
    c_optimizer.zero_grad()
    loss.backward()
    c_optimizer.step()
    if step % 3 == 2:
        g_loss = -critic(generator(torch.randn(8, 3))).mean()
        g_optimizer.zero_grad()
        g_loss.backward()
        g_optimizer.step()
