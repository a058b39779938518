import torch
from torch import nn

torch.manual_seed(0)
g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
d = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(g.parameters(), lr=2e-4)
opt_d = torch.optim.Adam(d.parameters(), lr=2e-4)
softplus = nn.functional.softplus
for real in torch.randn(3, 10, 6).unbind():
    fake = g(torch.randn(10, 4)).detach()
    d_loss = softplus(-d(real)).mean() + softplus(d(fake)).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = softplus(-d(fake)).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
