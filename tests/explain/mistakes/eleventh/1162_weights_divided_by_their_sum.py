import torch
from torch import nn


def weighted_mean(values, weights):
    return (values * weights).sum(1) / weights.sum(1)


torch.manual_seed(0)
net = nn.Linear(5, 1)
events = torch.randn(4, 7, 5)
observed = torch.tensor([7, 3, 0, 5])
weights = (torch.arange(7) < observed[:, None]).float()
target = torch.rand(4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
score = weighted_mean(net(events).squeeze(-1), weights)
loss = nn.functional.mse_loss(score, target)
opt.zero_grad()
loss.backward()
opt.step()
