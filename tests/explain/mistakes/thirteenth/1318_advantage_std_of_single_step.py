import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)


def discounted(rewards, gamma=0.99):
    out, g = [], 0.0
    for r in reversed(rewards):
        g = r + gamma * g
        out.insert(0, g)
    returns = torch.tensor(out)
    return (returns - returns.mean()) / (returns.std() + 1e-8)


for length in [5, 3, 1]:
    states = torch.randn(length, 4)
    dist = torch.distributions.Categorical(logits=policy(states))
    actions = dist.sample()
    adv = discounted([1.0] * length)
    loss = -(dist.log_prob(actions) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
