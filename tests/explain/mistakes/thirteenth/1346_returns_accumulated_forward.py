import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(2, 2)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)


def rewards_to_go(rewards, gamma=0.9):
    out, total = [], 0.0
    for r in rewards:
        total = r + gamma * total
        out.append(total)
    return torch.tensor(out)


for episode in range(10):
    states = torch.randn(6, 2)
    dist = torch.distributions.Categorical(logits=policy(states))
    acts = dist.sample()
    rewards = (acts == (states[:, 0] > 0).long()).float().tolist()
    G = rewards_to_go(rewards)
    loss = -(dist.log_prob(acts) * (G - G.mean())).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
