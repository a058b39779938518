import torch
import torch.nn as nn


class TabularVAE(nn.Module):
    def __init__(self, n_in, n_z):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, 32), nn.ReLU())
        self.to_mu = nn.Linear(32, n_z)
        self.to_logvar = nn.Linear(32, n_z)
        self.dec = nn.Sequential(nn.Linear(n_z, 32), nn.ReLU(), nn.Linear(32, n_in))

    def forward(self, x):
        h = self.body(x)
        mu = self.to_mu(h)
        logvar = self.to_logvar(h)
        std = torch.exp(0.5 * logvar)
        z = mu + std * torch.randn_like(std)
        kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
        return self.dec(z), kl


torch.manual_seed(0)
rows = torch.stack([torch.rand(64) * 60 + 18, torch.rand(64) * 90000, torch.rand(64) * 5], 1)
vae = TabularVAE(3, 4)
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
for epoch in range(5):
    recon, kl = vae(rows)
    loss = nn.functional.mse_loss(recon, rows) + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, loss.item())
