import torch
from torch import nn


def init(module):
    if isinstance(module, nn.Linear):
        nn.init.kaiming_normal_(module.weight)
        nn.init.constant_(module.bias, -20.0)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 2))
net.apply(init)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(10, 6), torch.randint(0, 2, (10,))
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
