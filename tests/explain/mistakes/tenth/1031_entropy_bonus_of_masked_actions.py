import torch
from torch import nn

torch.manual_seed(0)
pi = nn.Linear(5, 4)
opt = torch.optim.Adam(pi.parameters(), lr=1e-3)
legal = torch.tensor([[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1]]).bool()


def entropy(p):
    return -(p * p.log()).sum(-1).mean()


obs = torch.randn(3, 5)
scores = pi(obs).masked_fill(~legal, float("-inf"))
p = scores.softmax(-1)
loss = -p[:, 0].mean() - 0.01 * entropy(p)
opt.zero_grad()
loss.backward()
opt.step()
