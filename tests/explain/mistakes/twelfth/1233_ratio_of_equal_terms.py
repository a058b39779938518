import torch
from torch import nn

torch.manual_seed(0)
scale = nn.Parameter(torch.tensor(2.0))
net = nn.Linear(6, 4)
opt = torch.optim.Adam([scale, *net.parameters()], lr=1e-2)


def similarity(a, b):
    a, b = scale * a, scale * b
    return (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))


x = torch.randn(10, 6)
near = x + 0.2 * torch.randn(10, 6)
loss = (1 - similarity(net(x), net(near))).mean()
opt.zero_grad()
loss.backward()
opt.step()
