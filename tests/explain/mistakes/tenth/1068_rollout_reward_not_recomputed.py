import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4))
opt = torch.optim.Adam(policy.parameters(), lr=3e-4)
states = torch.randn(64, 3)
actions = torch.randint(0, 4, (64,))
advantage = torch.randn(64)
dist = torch.distributions.Categorical(logits=policy(states))
new = dist.log_prob(actions)
old = new.detach()
for epoch in range(4):
    ratio = (new - old).exp()
    clipped = ratio.clamp(0.8, 1.2)
    loss = -torch.min(ratio * advantage, clipped * advantage).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
