import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def step(x, y):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward
    opt.step()
    return float(loss)


x = torch.randn(24, 3)
y = x[:, :1] ** 2
for epoch in range(5):
    print(epoch, step(x, y))
