import torch
from torch import nn
from torch.distributions import Categorical


def normalise(advantages):
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)


def reinforce(policy, episodes, optimizer):
    for states, rewards in episodes:
        dist = Categorical(logits=policy(states))
        actions = dist.sample()
        returns = rewards.flip(0).cumsum(0).flip(0)
        loss = -(dist.log_prob(actions) * normalise(returns)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(len(states), loss.item())


torch.manual_seed(0)
policy = nn.Linear(3, 2)
episodes = [(torch.randn(n, 3), torch.rand(n)) for n in (5, 4, 1)]
reinforce(policy, episodes, torch.optim.SGD(policy.parameters(), lr=0.01))
