import torch
from torch import nn


class Capsules(nn.Linear):
    def __init__(self, inputs, count, size):
        super().__init__(inputs, count * size)
        self.count = count

    def squash(self, s):
        squared = s.pow(2).sum(-1, keepdim=True)
        return squared / (1 + squared) * s / squared.sqrt()

    def forward(self, x):
        return self.squash(super().forward(x).relu().unflatten(1, (self.count, -1)))


torch.manual_seed(0)
layer = Capsules(5, 6, 2)
optimizer = torch.optim.Adam(layer.parameters(), lr=1e-3)
x, y = torch.randn(8, 5), torch.randint(0, 6, (8,))
length = (layer(x).pow(2).sum(-1) + 1e-8).sqrt()
loss = nn.functional.cross_entropy(length, y)
optimizer.zero_grad()
loss.backward()
