import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
gen = nn.Linear(3, 2)
c_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
g_opt = torch.optim.Adam(gen.parameters(), lr=1e-3)
for step in range(6):
    real, fake = torch.randn(16, 2) + 1, gen(torch.randn(16, 3))
    eps = torch.rand(16, 1)
    mix = (eps * real + (1 - eps) * fake.detach()).requires_grad_(True)
    g, = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
    c_loss = critic(fake.detach()).mean() - critic(real).mean()
    c_loss = c_loss + 10 * (g.norm(dim=1) - 1).pow(2).mean()
    c_opt.zero_grad()
    c_loss.backward()
    c_opt.step()
    if step % 3 == 2:
        g_opt.zero_grad()
        (-critic(fake).mean()).backward()
        g_opt.step()
