import torch
from torch import nn


def tower(depth, width):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.Sigmoid()]
    return nn.Sequential(*layers, nn.Linear(width, 1))


torch.manual_seed(0)
net = tower(14, 10)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 10)
y = x[:, :1] * 2
for _ in range(5):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print([round(p.grad.norm().item(), 12) for p in net.parameters()][::2])
