import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))

    def act(self, state):
        scores = self.net(state)
        dist = torch.distributions.Categorical(scores)
        action = dist.sample()
        return action, dist.log_prob(action)


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
action, log_prob = policy.act(torch.randn(6, 4))
loss = -(log_prob * torch.randn(6)).mean()
loss.backward()
