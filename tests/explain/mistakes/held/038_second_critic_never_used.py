import torch
from torch import nn


class TwinCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.q1 = nn.Linear(8, 1)
        self.q2 = nn.Linear(8, 1)

    def forward(self, state, action):
        h = torch.relu(self.body(torch.cat([state, action], dim=1)))
        return self.q1(h), self.q1(h)


torch.manual_seed(0)
agent = TwinCritic()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
for _ in range(3):
    state, action, target = torch.randn(6, 3), torch.randn(6, 1), torch.randn(6, 1)
    first, second = agent(state, action)
    loss = (first - target).pow(2).mean() + (second - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print({name: p.grad is None for name, p in agent.named_parameters()})
