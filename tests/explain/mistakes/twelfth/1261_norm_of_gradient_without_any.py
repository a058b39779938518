import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 8))
D = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
og, od = torch.optim.SGD(G.parameters(), lr=1e-4), torch.optim.SGD(D.parameters(), lr=1e-4)
for _ in range(3):
    z, real = torch.randn(16, 4) * 8, torch.randn(16, 8)
    d_loss = (D(real) - 1).pow(2).mean() + D(G(z).detach()).pow(2).mean()
    od.zero_grad()
    d_loss.backward()
    nn.utils.clip_grad_norm_(D.parameters(), 1.0)
    od.step()
    g_loss = 50 * (D(G(z)) - 30).pow(2).mean()
    og.zero_grad()
    g_loss.backward()
    nn.utils.clip_grad_norm_(D.parameters(), 1.0)
    og.step()
g_norm = torch.stack([p.grad.norm() for p in G.parameters()]).norm()
