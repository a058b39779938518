import torch
from torch import nn
from torch.distributions import Normal


class SquashedActor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(2, 1)
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, states):
        base = Normal(self.mean(states), self.log_std.exp())
        raw = base.rsample()
        action = torch.tanh(raw)
        correction = torch.log(1 - action.pow(2))
        return action, base.log_prob(raw) - correction


torch.manual_seed(0)
actor = SquashedActor()
states = torch.randn(6, 2)
states[3] = torch.tensor([60.0, 60.0])
optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
action, log_prob = actor(states)
loss = (0.2 * log_prob + action).mean()
optimizer.zero_grad()
loss.backward()
print(loss.item(), actor.mean.weight.grad)
