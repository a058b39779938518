import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
target = q
optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
for step in range(4):
    s, s2 = torch.randn(8, 3), torch.randn(8, 3)
    a, r = torch.randint(0, 2, (8, 1)), torch.randn(8)
    goal = r + 0.9 * target(s2).max(1).values
    loss = nn.functional.mse_loss(q(s).gather(1, a).squeeze(1), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
