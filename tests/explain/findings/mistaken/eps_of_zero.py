"""A column of zeros has gradients of 0, and with an eps of 0 Adam divides 0 by 0."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
x = torch.rand(6, 3)
x[:, 1] = 0.0
optimizer = torch.optim.Adam(net.parameters(), lr=0.01, eps=0.0)  # <-- culprit
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(x) - 1).square().mean()
    loss.backward()
    optimizer.step()
