import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1, bias=False))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(3, 5, 6)
    relevance = torch.randint(0, 3, (3, 5)).float()
    scores = net(x).squeeze(-1)
    ahead = relevance[:, :, None] > relevance[:, None, :]
    gap = scores[:, :, None] - scores[:, None, :]
    loss = nn.functional.softplus(-gap)[ahead].sum() / ahead.sum().clamp(min=1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
