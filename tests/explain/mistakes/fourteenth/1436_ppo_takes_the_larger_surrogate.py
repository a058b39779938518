import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(actor.parameters(), lr=3e-3)


def surrogate(logp, old_logp, adv, eps=0.2):
    ratio = (logp - old_logp).exp()
    clipped = ratio.clamp(1 - eps, 1 + eps) * adv
    return -torch.max(ratio * adv, clipped).mean()


states = torch.randn(64, 3)
with torch.no_grad():
    behaviour = Categorical(logits=actor(states))
    actions = behaviour.sample()
    old_logp = behaviour.log_prob(actions)
reward = (actions == (states[:, 0] > 0).long()).float()
adv = (reward - reward.mean()) / reward.std()
for epoch in range(10):
    logp = Categorical(logits=actor(states)).log_prob(actions)
    loss = surrogate(logp, old_logp, adv)
    opt.zero_grad()
    loss.backward()
    opt.step()
