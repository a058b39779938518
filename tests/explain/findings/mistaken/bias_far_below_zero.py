"""Every bias starts at -5, so no relu gives anything but 0."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
nn.init.constant_(net[0].bias, -5.0)  # <-- culprit
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(torch.rand(6, 3)) - 1).square().mean()
    loss.backward()
    optimizer.step()
