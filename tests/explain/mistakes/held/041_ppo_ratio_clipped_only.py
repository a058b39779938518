import torch
from torch import nn
from torch.distributions import Categorical


def surrogate(log_probs, old_log_probs, advantages, eps=0.2):
    ratio = torch.exp(log_probs - old_log_probs)
    ratio = ratio.clamp(1 - eps, 1 + eps)
    return -(ratio * advantages).mean()


torch.manual_seed(0)
policy = nn.Linear(3, 2)
states, actions, advantages = torch.randn(6, 3), torch.randint(0, 2, (6,)), torch.randn(6)
with torch.no_grad():
    old = Categorical(logits=policy(states)).log_prob(actions)
    policy.weight.mul_(-6)
    policy.bias.add_(torch.tensor([4.0, -4.0]))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for epoch in range(3):
    log_probs = Categorical(logits=policy(states)).log_prob(actions)
    loss = surrogate(log_probs, old, advantages)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
