import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy, baseline = nn.Linear(3, 4), nn.Linear(3, 1)
opt = torch.optim.Adam([*policy.parameters(), *baseline.parameters()], lr=1e-2)
for episode in range(6):
    obs = torch.randn(20, 3)
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    reward = (action == obs.abs().argmax(1)).float()
    value = baseline(obs).squeeze(1)
    advantage = reward - value.detach()
    loss = -(dist.log_prob(action) * advantage).mean() + nn.functional.mse_loss(value, reward)
    opt.zero_grad()
    loss.backward()
    opt.step()
