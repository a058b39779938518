import torch
import torch.nn as nn


def build():
    G = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    C = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    opt_c = torch.optim.RMSprop(C.parameters(), lr=5e-3)
    opt_g = torch.optim.RMSprop(C.parameters(), lr=5e-3)
    return G, C, opt_g, opt_c


torch.manual_seed(0)
G, C, opt_g, opt_c = build()
start = G[0].weight.detach().clone()
for step in range(4):
    real = torch.randn(8, 2) * 0.3 + 1
    opt_c.zero_grad()
    (C(G(torch.randn(8, 3)).detach()).mean() - C(real).mean()).backward()
    opt_c.step()
    opt_g.zero_grad()
    g_loss = -C(G(torch.randn(8, 3))).mean()
    g_loss.backward()
    opt_g.step()
    print(step, g_loss.item())
