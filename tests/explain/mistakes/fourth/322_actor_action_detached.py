import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, state, action):
        return self.net(torch.cat([state, action.detach()], dim=1))


torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = Critic()
opt_a = torch.optim.Adam(actor.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(3):
    s, a, r = torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1)
    opt_c.zero_grad()
    (critic(s, a) - r).pow(2).mean().backward()
    opt_c.step()
    opt_a.zero_grad()
    (-critic(s, actor(s)).mean()).backward()
    opt_a.step()
