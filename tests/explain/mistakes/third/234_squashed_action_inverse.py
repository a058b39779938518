import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.log_std = nn.Linear(3, 1), nn.Parameter(torch.zeros(1))

    def log_prob(self, states, actions):
        raw = torch.atanh(actions)
        normal = torch.distributions.Normal(self.mean(states), self.log_std.exp())
        return (normal.log_prob(raw) - torch.log(1 - actions ** 2 + 1e-6)).sum(1)


torch.manual_seed(0)
actor = Actor()
states = torch.randn(5, 3)
actions = torch.tensor([[0.2], [-0.7], [1.0], [0.4], [-0.1]])
loss = -actor.log_prob(states, actions).mean()
loss.backward()
print(loss)
