import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 24), nn.Tanh())
pi, v = nn.Linear(24, 3), nn.Linear(24, 1)
opt = torch.optim.Adam([*net.parameters(), *pi.parameters(), *v.parameters()], lr=3e-3)
for step in range(10):
    s = torch.randn(32, 4)
    h = net(s)
    dist, value = Categorical(logits=pi(h)), v(h).squeeze(-1)
    a = dist.sample()
    reward = (a == s[:, :3].argmax(1)).float()
    adv = (reward - value).detach()
    loss = -(dist.log_prob(a) * adv).mean() - 0.01 * dist.entropy().mean()
    loss = loss + 0.5 * nn.functional.mse_loss(value, reward)
    opt.zero_grad()
    loss.backward()
    opt.step()
