import torch
from torch import nn


def l1(model):
    return sum(p.data.abs().sum() for p in model.parameters())


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(80, 20)
y = x[:, :2].sum(1, keepdim=True)
for epoch in range(4):
    for part in torch.arange(80).split(20):
        fit = nn.functional.mse_loss(net(x[part]), y[part])
        loss = fit + 0.05 * l1(net)
        opt.zero_grad()
        loss.backward()
        opt.step()
