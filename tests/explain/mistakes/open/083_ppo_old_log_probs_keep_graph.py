import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 2))

    def forward(self, states):
        return Categorical(logits=self.net(states))


def ppo(policy, optimizer, states, advantages, epochs, clip=0.2):
    dist = policy(states)
    actions = dist.sample()
    old_log_probs = dist.log_prob(actions)
    for _ in range(epochs):
        ratio = (policy(states).log_prob(actions) - old_log_probs).exp()
        clipped = ratio.clamp(1 - clip, 1 + clip)
        loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
policy = Policy()
ppo(policy, torch.optim.Adam(policy.parameters(), lr=3e-3), torch.randn(8, 3), torch.randn(8), 3)
