"""A variational autoencoder with its draw written out."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Linear(6, 4)
        s.mu = nn.Linear(4, 2)
        s.lv = nn.Linear(4, 2)
        s.d = nn.Linear(2, 6)

    def forward(s, x):
        h = s.e(x).relu()
        mu, lv = (s.mu(h), s.lv(h))
        z = mu + torch.exp(0.5 * lv) * torch.randn_like(mu)
        return (s.d(z), mu, lv)


m = VAE()
o = torch.optim.Adam(m.parameters(), lr=0.01)
for _ in range(6):
    x = torch.randn(8, 6)
    r, mu, lv = m(x)
    loss = nn.functional.mse_loss(r, x) - 0.5 * (1 + lv - mu**2 - lv.exp()).mean()
    o.zero_grad()
    loss.backward()
    o.step()
