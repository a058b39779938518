import torch
from torch import nn
from torch.distributions import Normal


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(8, 3)
        self.sd = nn.Linear(8, 3)
        self.dec = nn.Linear(3, 8)

    def forward(self, x):
        q = Normal(self.mu(x), nn.functional.softplus(self.sd(x)) + 1e-3)
        z = q.sample()
        return self.dec(z)


torch.manual_seed(0)
vae = Encoder()
opt = torch.optim.Adam(vae.parameters(), lr=1e-2)
x = torch.randn(40, 8)
for step in range(5):
    loss = (vae(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
