import copy

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
target = copy.deepcopy(critic)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=3e-4)


def act(state):
    mean, log_std = actor(state).chunk(2, dim=1)
    draw = Normal(mean, log_std.clamp(-5, 2).exp())
    action = draw.rsample()
    return torch.tanh(action), draw.log_prob(action) - torch.log(1 - torch.tanh(action).pow(2) + 1e-6)


for _ in range(4):
    state, after, reward = torch.randn(8, 3), torch.randn(8, 3), torch.randn(8, 1)
    with torch.no_grad():
        action, log_prob = act(after)
        wanted = reward + 0.99 * (target(torch.cat([after, action], 1)) - 0.2 * log_prob)
    critic_loss = nn.functional.mse_loss(critic(torch.cat([state, torch.rand(8, 1)], 1)), wanted)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    action, log_prob = act(state)
    actor_loss = (0.2 * log_prob - critic(torch.cat([state, action], 1))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    with torch.no_grad():
        for old, new in zip(target.parameters(), critic.parameters()):
            old.lerp_(new, 0.005)
