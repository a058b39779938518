import torch
import torch.nn as nn


class VAE(nn.Module):
    def __init__(self, width, latent):
        super().__init__()
        self.mu = nn.Linear(width, latent)
        self.logvar = nn.Linear(width, latent)
        self.decode = nn.Linear(latent, width)

    def forward(self, x):
        mu, logvar = self.mu(x), self.logvar(x)
        std = (0.5 * logvar).exp()
        z = mu + std * torch.randn_like(mu)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1)
        return self.decode(z), kl.mean()


torch.manual_seed(0)
model = VAE(64, 8)
pixels = torch.randint(0, 256, (6, 64)).float()
reconstruction, kl = model(pixels)
loss = nn.functional.mse_loss(reconstruction, pixels) + kl
loss.backward()
print(loss.item(), model.logvar.weight.grad.abs().max())
