import torch
from torch import nn


class SoftTree(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.split, self.leaves = nn.Linear(features, 3), nn.Parameter(torch.randn(4))

    def go(self, x):
        return torch.sigmoid(self.split(x)).round()

    def forward(self, x):
        a, b, c = self.go(x).unbind(1)
        chance = torch.stack([a * b, a * (1 - b), (1 - a) * c, (1 - a) * (1 - c)], 1)
        return chance @ self.leaves


torch.manual_seed(0)
tree = SoftTree(4)
optimizer = torch.optim.Adam(tree.parameters(), lr=1e-2)
for _ in range(3):
    x = torch.randn(12, 4)
    loss = nn.functional.mse_loss(tree(x), (x[:, 0] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
