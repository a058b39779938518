import torch
from torch import nn
from torch.distributions import Normal


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.loc, self.scale = nn.Linear(9, 2), nn.Linear(9, 2)

    def forward(self, x):
        q = Normal(self.loc(x), nn.functional.softplus(self.scale(x)) + 1e-4)
        return q.sample((3,)).mean(0)


torch.manual_seed(0)
enc, dec = Encoder(), nn.Linear(2, 9)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-3)
for _ in range(2):
    x = torch.rand(10, 9)
    rec = nn.functional.mse_loss(dec(enc(x)), x)
    opt.zero_grad()
    rec.backward()
    opt.step()
