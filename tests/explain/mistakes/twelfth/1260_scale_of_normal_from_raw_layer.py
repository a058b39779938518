import torch
from torch import nn
from torch.distributions import Normal


class Gaussian(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.mu, self.sigma = nn.Linear(16, act), nn.Linear(16, act)

    def forward(self, s):
        h = self.trunk(s)
        return Normal(self.mu(h), self.sigma(h))


torch.manual_seed(0)
policy = Gaussian(3, 2)
opt = torch.optim.Adam(policy.parameters(), lr=3e-4)
dist = policy(torch.randn(10, 3))
action = dist.sample()
loss = -(dist.log_prob(action).sum(-1) * torch.randn(10)).mean()
loss.backward()
opt.step()
