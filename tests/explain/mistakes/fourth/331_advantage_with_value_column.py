import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 16)
        self.pi, self.v = nn.Linear(16, 3), nn.Linear(16, 1)

    def forward(self, s):
        h = torch.relu(self.shared(s))
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for episode in range(3):
    states, returns = torch.randn(12, 4), torch.randn(12)
    dist, values = model(states)
    actions = dist.sample()
    advantage = returns - values
    policy_loss = -(dist.log_prob(actions) * advantage.detach()).mean()
    loss = policy_loss + 0.5 * advantage.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
