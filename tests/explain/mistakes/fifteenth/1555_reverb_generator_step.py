import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
g = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 20))
d = nn.Sequential(nn.Linear(20, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(g.parameters(), lr=4e-4)
opt_d = torch.optim.Adam(d.parameters(), lr=2e-4)

for step in range(10):
    real_spec = torch.randn(16, 20)
    z = torch.randn(16, 16)
    fake_spec = g(z)

    d_real = d(real_spec)
    d_fake = d(fake_spec.detach())
    d_loss = F.mse_loss(d_real, torch.ones_like(d_real)) + F.mse_loss(d_fake, torch.zeros_like(d_fake))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    d_fake2 = d(fake_spec.detach())
    g_loss = F.mse_loss(d_fake2, torch.ones_like(d_fake2))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
print(d_loss.item(), g_loss.item())
