import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
optimizerG = torch.optim.Adam(G.parameters(), lr=1e-3)
optimizerD = torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(30):
    real = torch.randn(32, 2) * 0.5 + 1
    fake = G(torch.randn(32, 8))
    loss_d = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    optimizerD.zero_grad()
    loss_d.backward()
    optimizerD.step()
    loss_g = bce(D(fake), ones)
    optimizerG.zero_grad()
    loss_g.backward()
    optimizerG.step()
print(loss_d.item(), loss_g.item())
