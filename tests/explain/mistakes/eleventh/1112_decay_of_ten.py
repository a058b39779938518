import torch
from torch import nn


def configure(net):
    return torch.optim.AdamW(net.parameters(), lr=0.05, weight_decay=10)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
opt = configure(net)
x = torch.randn(100, 6)
y = 0.001 * x.sum(1, keepdim=True)
for epoch in range(60):
    for part in torch.randperm(100).split(50):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x[part]), y[part])
        loss.backward()
        opt.step()
