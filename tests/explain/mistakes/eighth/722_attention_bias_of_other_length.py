import torch
from torch import nn


class Relative(nn.Module):
    def __init__(self, size, length):
        super().__init__()
        self.into = nn.Linear(size, 3 * size)
        self.bias = nn.Parameter(torch.zeros(length, length))

    def forward(self, x):
        q, k, v = self.into(x).chunk(3, -1)
        scores = q @ k.transpose(1, 2) + self.bias
        return scores.softmax(-1) @ v


torch.manual_seed(0)
block, out = Relative(6, 10), nn.Linear(6, 2)
optimizer = torch.optim.Adam([*block.parameters(), *out.parameters()], lr=1e-3)
for length in (10, 8):
    x, y = torch.randn(3, length, 6), torch.randint(0, 2, (3,))
    loss = nn.functional.cross_entropy(out(block(x).mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
