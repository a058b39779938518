"""A sum over the batch is added to a mean."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)


class V(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.d = nn.Linear(20, 16), nn.Linear(4, 20)
        self.mu, self.lv = nn.Linear(16, 4), nn.Linear(16, 4)
    def forward(self, x):
        h = self.e(x).relu()
        mu, lv = self.mu(h), self.lv(h)
        return self.d(mu + torch.randn_like(mu) * (0.5 * lv).exp()), mu, lv
net = V()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(3):
    x = torch.randn(64, 20)
    out, mu, lv = net(x)
    recon = F.mse_loss(out, x)
    kl = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())  # <-- culprit
    loss = recon + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
