import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
gen = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
disc = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_opt = torch.optim.Adam(gen.parameters(), lr=2e-4)
d_opt = torch.optim.Adam(disc.parameters(), lr=2e-4)

for step in range(3):
    real = torch.randn(32, 2) + 3
    fake = gen(torch.randn(32, 4))

    d_real = F.binary_cross_entropy_with_logits(disc(real), torch.ones(32, 1))
    d_fake = F.binary_cross_entropy_with_logits(disc(fake), torch.zeros(32, 1))
    d_opt.zero_grad()
    (d_real + d_fake).backward()
    d_opt.step()

    g_loss = F.binary_cross_entropy_with_logits(disc(fake), torch.ones(32, 1))
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
