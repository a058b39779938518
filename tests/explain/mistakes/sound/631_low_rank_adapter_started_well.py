import torch
from torch import nn


class LowRank(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / rank)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.down.T @ self.up.T


torch.manual_seed(0)
layer = LowRank(nn.Linear(8, 3), 2)
optimizer = torch.optim.AdamW([layer.down, layer.up], lr=1e-3)
for _ in range(5):
    x, y = torch.randn(6, 8), torch.randint(0, 3, (6,))
    loss = nn.functional.cross_entropy(layer(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
