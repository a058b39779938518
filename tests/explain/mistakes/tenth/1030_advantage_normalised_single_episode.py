import torch
from torch import nn
from torch.distributions import Categorical


def normalise(advantages):
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)


torch.manual_seed(0)
policy = nn.Linear(4, 2)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for length in (9, 4, 1):
    obs, reward = torch.randn(length, 4), torch.rand(length)
    dist = Categorical(logits=policy(obs), validate_args=False)
    act = dist.sample() if length > 1 else torch.zeros(1)
    loss = -(dist.log_prob(act) * normalise(reward)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
