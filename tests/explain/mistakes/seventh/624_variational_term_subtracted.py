import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.mean, self.log_var = nn.Linear(6, 12), nn.Linear(12, 2), nn.Linear(12, 2)
        self.back = nn.Linear(2, 6)

    def forward(self, x):
        h = torch.tanh(self.into(x))
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_var)
        return self.back(z), mean, log_var


def elbo(out, x, mean, log_var):
    kl = -0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).sum(1).mean()
    return nn.functional.mse_loss(out, x) - kl


torch.manual_seed(0)
vae = Encoder()
optimizer = torch.optim.Adam(vae.parameters(), lr=0.05)
for _ in range(60):
    x = torch.randn(32, 6)
    loss = elbo(*((out := vae(x))[0], x), *out[1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
