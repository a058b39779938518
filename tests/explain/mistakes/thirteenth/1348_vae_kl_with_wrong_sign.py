import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(10, 4)
        self.dec = nn.Linear(2, 10)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def kl_term(mu, logvar):
    return 0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()


torch.manual_seed(0)
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-2)
x = torch.randn(64, 10)
for epoch in range(20):
    recon, mu, logvar = vae(x)
    loss = (recon - x).pow(2).sum(1).mean() + kl_term(mu, logvar)
    opt.zero_grad()
    loss.backward()
    opt.step()
