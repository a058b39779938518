import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, size, depth):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(size, size) for _ in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = x + torch.relu(block(x))
            return x


torch.manual_seed(0)
net, head = Residual(6, 4), nn.Linear(6, 1)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(8, 6), torch.randn(8, 1)
for epoch in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(head(net(x)), y).backward()
    optimizer.step()
