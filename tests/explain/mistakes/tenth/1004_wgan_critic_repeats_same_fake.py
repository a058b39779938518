import torch
from torch import nn, optim

torch.manual_seed(3)
gen = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_opt = optim.RMSprop(gen.parameters(), lr=5e-5)
c_opt = optim.RMSprop(critic.parameters(), lr=5e-5)
for it in range(2):
    real = torch.randn(8, 2) + 3
    fake = gen(torch.randn(8, 2))
    for _ in range(5):
        c_loss = critic(fake).mean() - critic(real).mean()
        c_opt.zero_grad()
        c_loss.backward()
        c_opt.step()
        for p in critic.parameters():
            p.data.clamp_(-0.01, 0.01)
    g_loss = -critic(fake).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
