from collections import deque
import random
import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.SGD(critic.parameters(), lr=1e-3)
memory = deque(maxlen=50)
for step in range(8):
    s, r = torch.randn(3), random.random()
    v = critic(s)
    memory.append((v, r))
    if len(memory) >= 4:
        picked = random.sample(list(memory), 4)
        values = torch.cat([v for v, _ in picked])
        rewards = torch.tensor([r for _, r in picked])
        loss = (values - rewards).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
