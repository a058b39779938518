"""The generator is trained towards the label of made-up samples."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(4):
    real = torch.randn(16, 2) + 3
    fake = G(torch.randn(16, 2))
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    d = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    od.zero_grad()
    d.backward()
    od.step()
    g = bce(D(fake), zeros)  # <-- culprit
    og.zero_grad()
    g.backward()
    og.step()
