import torch
import torch.nn as nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())
optim_g = torch.optim.Adam(netG.parameters(), lr=2e-4)
optim_d = torch.optim.Adam(netD.parameters(), lr=2e-4)
bce = nn.BCELoss()
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)

for it in range(5):
    real = torch.randn(32, 2) + 3
    fake = netG(torch.randn(32, 8))
    fake_score = netD(fake)
    loss_g = bce(fake_score, ones)
    loss_d = bce(netD(real), ones) + bce(fake_score, zeros)

    optim_g.zero_grad()
    loss_g.backward()
    optim_g.step()

    optim_d.zero_grad()
    loss_d.backward()
    optim_d.step()
