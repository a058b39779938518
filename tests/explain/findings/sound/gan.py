"""A generator and a critic that train in turn."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
og = torch.optim.Adam(G.parameters(), lr=0.001)
od = torch.optim.Adam(D.parameters(), lr=0.001)
bce = nn.BCEWithLogitsLoss()
for _i in range(14):
    real = torch.randn(8, 2)
    fake = G(torch.randn(8, 4))
    d = bce(D(real), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))
    od.zero_grad()
    d.backward()
    od.step()
    g = bce(D(fake), torch.ones(8, 1))
    og.zero_grad()
    g.backward()
    og.step()
