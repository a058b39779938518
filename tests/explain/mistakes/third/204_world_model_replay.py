import random
import torch
from torch import nn


class Replay:
    def __init__(self):
        self.items = []

    def push(self, state, reward):
        self.items.append((state, reward))

    def sample(self, n):
        states, rewards = zip(*random.sample(self.items, n))
        return torch.stack(states), torch.tensor(rewards)


torch.manual_seed(0)
random.seed(0)
encoder, value = nn.Linear(4, 6), nn.Linear(6, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *value.parameters()], lr=1e-3)
replay = Replay()
for step in range(8):
    state = torch.tanh(encoder(torch.randn(4)))
    replay.push(state, random.random())
    if step < 3:
        continue
    states, rewards = replay.sample(3)
    loss = (value(states).squeeze(1) - rewards).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
