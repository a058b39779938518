import torch
from torch import nn


def spread(x):
    return (x.pow(2).mean(0) - x.mean(0).pow(2)).sqrt()


torch.manual_seed(0)
net = nn.Linear(3, 8)
nn.init.constant_(net.bias, 300.0)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    x = torch.randn(64, 3) * 1e-3
    z = net(x)
    loss = nn.functional.relu(1 - spread(z)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
