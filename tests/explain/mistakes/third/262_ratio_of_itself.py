import torch
from torch import nn


def surrogate(policy, states, actions, advantages, clip=0.2):
    new = torch.log_softmax(policy(states), 1).gather(1, actions[:, None])
    old = torch.log_softmax(policy(states), 1).gather(1, actions[:, None])
    ratio = torch.exp(new - old)
    clipped = ratio.clamp(1 - clip, 1 + clip)
    return -torch.min(ratio * advantages, clipped * advantages).mean()


torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
states, actions, advantages = torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.randn(8, 1)
for epoch in range(3):
    loss = surrogate(policy, states, actions, advantages)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
