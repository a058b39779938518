import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
g_opt = torch.optim.RMSprop(gen.parameters(), lr=5e-4)
c_opt = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
for step in range(20):
    real = torch.randn(32, 2) * 0.5 + 2
    fake = gen(torch.randn(32, 4)).detach()
    c_loss = critic(fake).mean() - critic(real).mean()
    c_opt.zero_grad()
    c_loss.backward()
    c_opt.step()
    with torch.no_grad():
        for q in gen.parameters():
            q.clamp_(-0.01, 0.01)
    if step % 5 == 4:
        g_loss = -critic(gen(torch.randn(32, 4))).mean()
        g_opt.zero_grad()
        g_loss.backward()
        g_opt.step()
