"""The overlap of boxes takes centre and size for corners."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, boxes = torch.randn(6, 3), torch.cat([torch.rand(6, 2) + 4, torch.rand(6, 2) + 1], 1)
for _ in range(3):
    found = boxes + 0.1 * net(x)
    low = torch.maximum(found[:, :2], boxes[:, :2])
    high = torch.minimum(found[:, 2:], boxes[:, 2:])  # <-- culprit
    loss = 1 - (high - low).clamp(min=0.01).prod(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
