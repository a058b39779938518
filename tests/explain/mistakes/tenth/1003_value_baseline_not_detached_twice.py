import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.pi, self.v = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, s):
        z = self.body(s)
        return Categorical(logits=self.pi(z)), self.v(z).squeeze(-1)


torch.manual_seed(0)
agent = ActorCritic()
opt = torch.optim.Adam(agent.parameters(), lr=1e-3)
states, returns = torch.randn(12, 4), torch.randn(12)
dist, value = agent(states)
action = dist.sample()
policy_loss = -(dist.log_prob(action) * (returns - value)).mean()
value_loss = (returns - value).pow(2).mean()
policy_loss.backward()
value_loss.backward()
opt.step()
