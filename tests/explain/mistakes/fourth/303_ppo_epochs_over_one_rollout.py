import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = nn.Linear(4, 2), nn.Linear(4, 1)


def collect(agent, steps):
    states, rewards = torch.randn(steps, 4), torch.randn(steps)
    values = agent.critic(states).squeeze(1)
    dist = torch.distributions.Categorical(logits=agent.actor(states))
    actions = dist.sample()
    with torch.no_grad():
        old = dist.log_prob(actions)
    return states, actions, old, rewards - values, rewards


torch.manual_seed(0)
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
states, actions, old, advantages, returns = collect(agent, 8)
for epoch in range(4):
    dist = torch.distributions.Categorical(logits=agent.actor(states))
    ratio = (dist.log_prob(actions) - old).exp()
    loss = -(ratio * advantages).mean() + (agent.critic(states).squeeze(1) - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
