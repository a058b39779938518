import torch
from torch import nn


def jacobian(net, x):
    y = net(x)
    rows = []
    for k in range(y.shape[0]):
        row, = torch.autograd.grad(y[k], x)
        rows.append(row)
    return torch.stack(rows)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4))
x = torch.randn(3, requires_grad=True)
print(jacobian(net, x))
