import warnings
import torch
from torch import nn
import torch.nn.functional as F

warnings.simplefilter("ignore")


class ReplayBuffer:
    def __init__(self, size):
        self.states = torch.randn(size, 4)
        self.actions = torch.randint(0, 2, (size, 1))
        self.rewards = torch.rand(size)

    def sample(self, n):
        rows = torch.randint(0, len(self.states), (n,))
        return self.states[rows], self.actions[rows], self.rewards[rows]


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
buffer = ReplayBuffer(40)
for step in range(3):
    states, actions, rewards = buffer.sample(8)
    q = net(states).gather(1, actions)
    with torch.no_grad():
        target = rewards + 0.9 * net(states).max(1).values
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
