import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.mean, self.deviation = nn.Linear(16, 2), nn.Linear(16, 2)

    def forward(self, state):
        h = self.body(state)
        return Normal(self.mean(h), torch.relu(self.deviation(h)))


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
state, gain = torch.randn(5, 4), torch.randn(5, 1)
draw = policy(state)
action = draw.sample()
loss = -(draw.log_prob(action) * gain).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
