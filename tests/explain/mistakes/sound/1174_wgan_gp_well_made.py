import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
og, od = (torch.optim.Adam(m.parameters(), lr=1e-4, betas=(0.0, 0.9)) for m in (G, D))
for _ in range(3):
    for _ in range(2):
        real, fake = torch.randn(16, 2) + 2, G(torch.randn(16, 4)).detach()
        a = torch.rand(16, 1)
        mix = (a * real + (1 - a) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(D(mix).sum(), mix, create_graph=True)
        loss = D(fake).mean() - D(real).mean() + 10 * (slope.norm(dim=1) - 1).pow(2).mean()
        od.zero_grad()
        loss.backward()
        od.step()
    loss = -D(G(torch.randn(16, 4))).mean()
    og.zero_grad()
    loss.backward()
    og.step()
