import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4)
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4)


def adversarial_loss(logits, real):
    target = torch.ones_like(logits) if real else torch.zeros_like(logits)
    return F.binary_cross_entropy_with_logits(logits, target)


for step in range(3):
    real = torch.randn(8, 2) + 3
    fake = G(torch.randn(8, 4))
    opt_d.zero_grad()
    d_loss = adversarial_loss(D(real), True) + adversarial_loss(D(fake), False)
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = adversarial_loss(D(fake), True)
    g_loss.backward()
    opt_g.step()
