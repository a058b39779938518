import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Linear(3, 2)
critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3)
gamma = 0.95
for step in range(10):
    s, s2, r = torch.randn(16, 3), torch.randn(16, 3), torch.rand(16)
    dist = torch.distributions.Categorical(logits=actor(s))
    a = dist.sample()
    v = critic(s).squeeze(1)
    goal = r + gamma * critic(s2).squeeze(1)
    adv = (goal - v).detach()
    policy_loss = -(dist.log_prob(a) * adv).mean()
    value_loss = (goal - v).pow(2).mean()
    opt.zero_grad()
    (policy_loss + 0.5 * value_loss).backward()
    opt.step()
