import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner, self.gate = nn.Linear(size, size), nn.Parameter(0.1 * torch.randn(size))

    def mask(self):
        return 0.5 * (torch.sign(self.gate) + 1)

    def forward(self, x):
        return self.inner(x) * self.mask()


torch.manual_seed(0)
gated, out = Gated(6), nn.Linear(6, 2)
optimizer = torch.optim.Adam([*gated.parameters(), *out.parameters()], lr=1e-2)
for _ in range(3):
    x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(out(gated(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
