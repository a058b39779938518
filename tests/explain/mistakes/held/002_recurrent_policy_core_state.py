import torch
from torch import nn
from torch.distributions import Categorical


class RecurrentPolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTMCell(3, 6)
        self.pi = nn.Linear(6, 2)

    def initial(self):
        return torch.zeros(1, 6), torch.zeros(1, 6)

    def forward(self, observation, core):
        core = self.lstm(observation, core)
        return Categorical(logits=self.pi(core[0])), core


def rollout(policy, core, length):
    log_probs = []
    for _ in range(length):
        dist, core = policy(torch.randn(1, 3), core)
        log_probs.append(dist.log_prob(dist.sample()))
    return torch.stack(log_probs), core


torch.manual_seed(0)
policy = RecurrentPolicy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
core = policy.initial()
for update in range(3):
    log_probs, core = rollout(policy, core, 4)
    loss = -(log_probs.sum() * torch.rand(()))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
