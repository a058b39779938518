import torch
from torch import nn
from torch.distributions import MultivariateNormal

torch.manual_seed(0)
dim = 120
mean = nn.Parameter(torch.full((dim,), 1.5))
opt = torch.optim.Adam([mean], lr=1e-2)
old = MultivariateNormal(torch.zeros(dim), torch.eye(dim))


def weights(x):
    new = MultivariateNormal(mean, torch.eye(dim))
    return torch.exp(new.log_prob(x) - old.log_prob(x))


x = torch.randn(20, dim) + 2
cost = x.pow(2).mean(1)
loss = (weights(x) * cost).mean()
loss.backward()
opt.step()
