import copy
import torch
from torch import nn


def make_networks():
    actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1), nn.Tanh())
    critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    return actor, critic, copy.deepcopy(actor)


torch.manual_seed(0)
actor, critic, target = make_networks()
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
actor_opt = torch.optim.Adam(target.parameters(), lr=1e-3)
for step in range(3):
    state, action, reward = torch.randn(6, 3), torch.randn(6, 1), torch.randn(6, 1)
    critic_loss = (critic(torch.cat([state, action], 1)) - reward).pow(2).mean()
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    actor_loss = -critic(torch.cat([state, actor(state)], 1)).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    print(critic_loss.item(), actor_loss.item())
