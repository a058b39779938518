import torch
from torch import nn


class CenterLoss(nn.Module):
    def __init__(self, classes, size):
        super().__init__()
        self.register_buffer("centers", torch.zeros(classes, size))
        self.scale = nn.Parameter(torch.ones(size))

    def forward(self, z, y):
        distance = (z - self.scale * self.centers[y]).pow(2).sum(1).mean()
        weighted = (self.centers * self.scale).pow(2).mean()
        for label in y.unique():
            self.centers[label] = 0.9 * self.centers[label] + 0.1 * z[y == label].mean(0).detach()
        return distance + 1e-3 * weighted


torch.manual_seed(0)
embed, center = nn.Linear(5, 3), CenterLoss(4, 3)
optimizer = torch.optim.Adam([*embed.parameters(), *center.parameters()])
for _ in range(3):
    x, y = torch.randn(8, 5), torch.randint(0, 4, (8,))
    optimizer.zero_grad()
    center(embed(x), y).backward()
    optimizer.step()
