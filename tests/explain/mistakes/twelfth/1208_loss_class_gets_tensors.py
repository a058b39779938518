import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def objective(out, target):
    return nn.MSELoss(out, target)


for _ in range(2):
    x = torch.randn(10, 4)
    target = x[:, :2] * x[:, 2:]
    opt.zero_grad()
    loss = objective(net(x), target)
    loss.backward()
    opt.step()
