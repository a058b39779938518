import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(4, width)
        self.layers = nn.ModuleList([nn.Linear(width, width)] * depth)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.relu(self.inp(x))
        for layer in self.layers:
            x = torch.relu(layer(x)) + x
        return self.out(x)


torch.manual_seed(0)
model = Deep(16, 5)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(20, 4), torch.randn(20, 1)
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
