import torch
from torch import nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, states):
        return Normal(self.mean(states), self.log_std.exp())


torch.manual_seed(0)
actor = Actor()
optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
states, actions, returns = torch.randn(6, 3), torch.randn(6), torch.randn(6)
log_probs = actor(states).log_prob(actions)
loss_terms = -log_probs * returns
loss = loss_terms.mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
