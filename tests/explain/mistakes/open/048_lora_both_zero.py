import torch
import torch.nn as nn


class LoRALinear(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.zeros(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.down.t() @ self.up.t()


torch.manual_seed(0)
layer = LoRALinear(nn.Linear(6, 4), 2)
optimizer = torch.optim.Adam([layer.down, layer.up], lr=0.01)
x, y = torch.randn(8, 6), torch.randint(0, 4, (8,))
for step in range(4):
    loss = nn.functional.cross_entropy(layer(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
