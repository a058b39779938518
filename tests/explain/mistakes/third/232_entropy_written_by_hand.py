import torch
from torch import nn


def entropy(logits):
    probs = torch.softmax(logits, dim=-1)
    return -(probs * probs.log()).sum(-1).mean()


torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
states = torch.randn(6, 4) * 200
logits = policy(states)
actions = torch.distributions.Categorical(logits=logits).sample()
chosen = torch.log_softmax(logits, 1).gather(1, actions[:, None]).squeeze(1)
loss = -(chosen * torch.randn(6)).mean() - 0.01 * entropy(logits)
optimizer.zero_grad()
loss.backward()
print(policy.weight.grad)
