import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
og = torch.optim.SGD(G.parameters(), lr=1e-2)
od = torch.optim.Adam(D.parameters(), lr=0.05)
for step in range(120):
    real, z = torch.randn(32, 2) + 6, torch.randn(32, 2)
    d_loss = -(D(real) + 1e-8).log().mean() - (1 - D(G(z).detach()) + 1e-8).log().mean()
    od.zero_grad()
    d_loss.backward()
    od.step()
    if step % 20 == 19:
        fake_score = D(G(z))
        g_loss = torch.log(1 - fake_score + 1e-8).mean()
        og.zero_grad()
        g_loss.backward()
        og.step()
