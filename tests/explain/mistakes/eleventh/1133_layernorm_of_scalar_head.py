import torch
from torch import nn


class Value(nn.Module):
    def __init__(self, obs):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, 1))
        self.norm = nn.LayerNorm(1)

    def forward(self, s):
        return self.norm(self.f(s)).squeeze(-1)


torch.manual_seed(0)
value = Value(4)
opt = torch.optim.Adam(value.parameters(), lr=1e-2)
s, ret = torch.randn(64, 4), torch.randn(64)
for _ in range(5):
    loss = (value(s) - ret).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
