import torch
from torch import nn

torch.manual_seed(0)
clicks = torch.tensor([3.0, 10.0, 0.0, 7.0, 5.0])
views = torch.tensor([20.0, 10.0, 8.0, 30.0, 6.0])


def link(rate):
    return torch.logit(rate)


net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
features = torch.randn(5, 2)
goal = link(clicks / views)
loss = (net(features).squeeze(1) - goal).pow(2).mean()
opt.zero_grad()
loss.backward()
opt.step()
