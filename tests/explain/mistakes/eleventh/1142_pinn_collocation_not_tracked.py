import torch
from torch import nn

torch.manual_seed(0)
u = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(u.parameters(), lr=1e-3)


def residual(t):
    y = u(t)
    (dy,) = torch.autograd.grad(y.sum(), t, create_graph=True)
    return dy + y


for _ in range(3):
    t = torch.rand(64, 1) * 4
    start = u(torch.zeros(1, 1)) - 1
    loss = residual(t).pow(2).mean() + start.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
