import torch
from torch import nn
import torch.nn.functional as F


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag


torch.manual_seed(0)
maker, critic = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_m = torch.optim.Adam(maker.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(3):
    real, noise = torch.randn(6, 2), torch.randn(6, 3)
    loss_c = F.softplus(-critic(real)).mean() + F.softplus(critic(maker(noise).detach())).mean()
    opt_c.zero_grad()
    loss_c.backward()
    opt_c.step()
    set_requires_grad(critic, False)
    loss_m = F.softplus(-critic(maker(noise))).mean()
    opt_m.zero_grad()
    loss_m.backward()
    opt_m.step()
