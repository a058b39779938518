import torch
from torch import nn


def residual(net, x):
    u = net(x)
    x.requires_grad_(True)
    du, = torch.autograd.grad(u.sum(), x, create_graph=True)
    return du - torch.cos(x)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    points = torch.rand(20, 1)
    loss = residual(net, points).pow(2).mean() + net(torch.zeros(1, 1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
