import torch
from torch import nn
from torch.distributions import Independent, Normal


class Actor(nn.Module):
    def __init__(self, n_state, n_action):
        super().__init__()
        self.mean = nn.Linear(n_state, n_action)
        self.log_std = nn.Parameter(torch.zeros(n_action))

    def act(self, state):
        dist = Independent(Normal(self.mean(state), self.log_std.exp()), 1)
        return torch.tanh(dist.sample())


torch.manual_seed(0)
actor = Actor(3, 2)
critic = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=3e-4)
states = torch.randn(8, 3)
for _ in range(2):
    q = critic(torch.cat([states, actor.act(states)], dim=1))
    actor_loss = -q.mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
print([p.grad for p in actor.parameters()])
