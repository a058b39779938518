import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return self.scale * x / (x.pow(2).mean(dim=-1, keepdim=True) + 1e-6).sqrt()


torch.manual_seed(0)
model = nn.Sequential(RMSNorm(6), nn.Linear(6, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(30, 6), torch.randn(30, 1)
for _ in range(10):
    loss = (model(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
