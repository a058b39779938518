"""The evaluation comes after many turns, and dropout is still on."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    optimizer.zero_grad()
    net(torch.rand(6, 3)).square().mean().backward()
    optimizer.step()
with torch.no_grad():
    score = net(torch.rand(6, 3)).square().mean()  # <-- culprit
