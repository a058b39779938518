import torch
from torch import nn
import torch.nn.functional as F


def sizes(*widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


torch.manual_seed(0)
maker, critic = sizes(3, 8, 2), sizes(2, 8, 1)
opt_m = torch.optim.Adam(maker.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(critic.parameters(), lr=1e-3)
for real in torch.randn(3, 6, 2):
    fake = maker(torch.randn(6, 3))
    score_fake = critic(fake)
    loss_d = F.softplus(score_fake).mean() + F.softplus(-critic(real)).mean()
    opt_d.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_d.step()
    loss_m = F.softplus(-score_fake).mean()
    opt_m.zero_grad()
    loss_m.backward()
    opt_m.step()
