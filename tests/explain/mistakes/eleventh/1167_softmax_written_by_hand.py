import torch
from torch import nn


class Route(nn.Module):
    def __init__(self, width, n):
        super().__init__()
        self.score = nn.Linear(width, n)

    def forward(self, x):
        e = torch.exp(self.score(x))
        return e / e.sum(-1, keepdim=True)


torch.manual_seed(0)
route = Route(3, 4)
opt = torch.optim.Adam(route.parameters(), lr=1e-3)
x = torch.randn(6, 3) * 200
share = torch.tensor([0.1, 0.2, 0.3, 0.4])
loss = (route(x).mean(0) - share).pow(2).sum()
opt.zero_grad()
loss.backward()
opt.step()
