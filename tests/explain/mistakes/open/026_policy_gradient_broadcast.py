import torch
from torch import nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 1)
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, states):
        return Normal(self.mean(states), self.log_std.exp())


torch.manual_seed(0)
actor = Actor()
optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)
states, rewards = torch.randn(6, 3), torch.rand(6)
advantages = (rewards - rewards.mean()) / rewards.std()
for _ in range(3):
    dist = actor(states)
    actions = dist.sample()
    log_probs = dist.log_prob(actions)
    loss = -(log_probs * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
