import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 2))
        self.log_probs = []

    def act(self, state):
        dist = Categorical(logits=self.net(state))
        action = dist.sample()
        self.log_probs.append(dist.log_prob(action).item())
        return action.item()


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
rewards = []
for t in range(6):
    action = policy.act(torch.randn(4))
    rewards.append(1.0 if action == t % 2 else 0.0)
returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
loss = -(torch.tensor(policy.log_probs) * returns).sum()
optimizer.zero_grad()
loss.backward()
optimizer.step()
