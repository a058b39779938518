import torch
from torch import nn


class GAN:
    def __init__(self):
        self.G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
        self.D = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=1e-3)
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=1e-3)
        self.bce = nn.BCEWithLogitsLoss()

    def step(self, real):
        fake = self.G(torch.randn(len(real), 2)).detach()
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        d_loss = self.bce(self.D(real), ones) + self.bce(self.D(fake), zeros)
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()
        self.D.requires_grad_(False)
        g_loss = self.bce(self.D(fake), ones)
        self.opt_g.zero_grad()
        g_loss.backward()
        self.opt_g.step()
        self.D.requires_grad_(True)


torch.manual_seed(0)
gan = GAN()
for _ in range(3):
    gan.step(torch.randn(6, 1) * 2 + 5)
