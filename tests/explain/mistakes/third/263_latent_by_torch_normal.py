import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(10, 8), nn.Linear(4, 10)

    def forward(self, x):
        mu, log_var = self.enc(x).chunk(2, dim=1)
        z = torch.normal(mu, torch.exp(0.5 * log_var))
        return self.dec(z)


torch.manual_seed(0)
vae = VAE()
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
x = torch.rand(6, 10)
for epoch in range(2):
    optimizer.zero_grad()
    nn.functional.mse_loss(vae(x), x).backward()
    optimizer.step()
