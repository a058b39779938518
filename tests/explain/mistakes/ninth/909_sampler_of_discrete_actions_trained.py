import torch
from torch import nn
from torch.distributions import MultivariateNormal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 2)

    def act(self, state):
        return MultivariateNormal(self.mean(state), 0.1 * torch.eye(2)).sample()


class World(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(5, 1)

    def forward(self, state, action):
        return self.net(torch.cat([state, action], 1))


torch.manual_seed(0)
actor, world = Actor(), World()
optimizer = torch.optim.Adam([*actor.parameters(), *world.parameters()], lr=1e-3)
for _ in range(3):
    state = torch.randn(6, 3)
    loss = -world(state, actor.act(state)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
