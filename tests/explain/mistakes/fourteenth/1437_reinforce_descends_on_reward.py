import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
bandit = torch.tensor([0.1, 0.3, 0.9])
prefs = nn.Parameter(torch.zeros(3))
opt = torch.optim.Adam([prefs], lr=0.1)
history = []
for episode in range(80):
    dist = Categorical(logits=prefs)
    arm = dist.sample((32,))
    reward = (torch.rand(32) < bandit[arm]).float()
    logp = dist.log_prob(arm)
    loss = (logp * reward).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(reward.mean().item())
final = sum(history[-10:]) / 10
print('average reward', final)
