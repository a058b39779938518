"""Missing targets are taken out by a product with a mask, and 0 · NaN is NaN."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
x, target = torch.rand(4, 3), torch.rand(4, 2)
target[1, 0] = float("nan")
known = (target == target).float()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (known * (net(x) - target).square()).mean()  # <-- culprit
    loss.backward()
    optimizer.step()
