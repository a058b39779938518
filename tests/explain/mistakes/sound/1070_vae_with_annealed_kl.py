import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(12, 8)
        self.dec = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 12))

    def forward(self, x):
        mu, log_var = self.enc(x).chunk(2, dim=1)
        z = mu + torch.randn_like(mu) * (0.5 * log_var).exp()
        kl = 0.5 * (mu ** 2 + log_var.exp() - 1 - log_var).sum(1).mean()
        return self.dec(z), kl


torch.manual_seed(0)
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
for step in range(8):
    x = torch.rand(16, 12)
    logits, kl = vae(x)
    rec = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1).mean()
    loss = rec + max(step / 8, 0.1) * kl
    opt.zero_grad(); loss.backward(); opt.step()
