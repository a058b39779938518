import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def residual(x):
    x.requires_grad_(True)
    u = net(x)
    u_x = torch.autograd.grad(u.sum(), x)[0]
    u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
    return u_xx + torch.sin(x)


for epoch in range(5):
    points = torch.rand(64, 1) * 3.14
    loss = residual(points).pow(2).mean() + net(torch.zeros(1, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
