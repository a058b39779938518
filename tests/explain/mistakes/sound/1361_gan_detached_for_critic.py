import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
gen, disc = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
g_opt = torch.optim.Adam(gen.parameters(), lr=1e-3)
d_opt = torch.optim.Adam(disc.parameters(), lr=1e-3)
for step in range(5):
    real, fake = torch.randn(16, 2) + 2, gen(torch.randn(16, 3))
    d_loss = F.softplus(-disc(real)).mean() + F.softplus(disc(fake.detach())).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = F.softplus(-disc(fake)).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
