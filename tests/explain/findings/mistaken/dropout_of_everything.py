"""The part that is kept is given to a dropout as the part that is dropped."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(3, 8),
    nn.Dropout(1.0),  # <-- culprit
    nn.Linear(8, 1),
)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.rand(6, 3)).square().mean().backward()
    optimizer.step()
