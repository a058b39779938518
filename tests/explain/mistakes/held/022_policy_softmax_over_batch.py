import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, actions):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.logits = nn.Linear(16, actions)
        self.normalise = nn.Softmax(dim=0)

    def forward(self, states):
        h = torch.relu(self.body(states))
        return self.normalise(self.logits(h))


def policy_loss(policy, states, actions, returns):
    probs = policy(states)
    chosen = probs.gather(1, actions.unsqueeze(1)).squeeze(1)
    return -(chosen.log() * returns).mean()


torch.manual_seed(0)
policy = Policy(3)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
states, actions, returns = torch.randn(7, 4), torch.randint(0, 3, (7,)), torch.randn(7)
for _ in range(3):
    loss = policy_loss(policy, states, actions, returns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
