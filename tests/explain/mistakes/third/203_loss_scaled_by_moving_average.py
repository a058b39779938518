import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
data = [(torch.randn(4, 5), torch.randn(4, 1)) for _ in range(6)]
average = None
for x, y in data:
    loss = nn.functional.smooth_l1_loss(net(x), y)
    average = loss if average is None else 0.9 * average + 0.1 * loss
    optimizer.zero_grad()
    (loss / average).backward()
    optimizer.step()
