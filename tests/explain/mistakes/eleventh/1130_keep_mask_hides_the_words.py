import torch
from torch import nn


class Pooler(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Parameter(torch.randn(width))

    def forward(self, x, hide):
        scores = (x @ self.query).masked_fill(hide, -torch.inf)
        return torch.einsum("bt,btd->bd", scores.softmax(1), x)


torch.manual_seed(0)
table, pooler = nn.Embedding(25, 12), Pooler(12)
ids = torch.tensor([[3, 9, 4, 7, 5], [8, 2, 0, 0, 0]])
valid = ids != 0
opt = torch.optim.Adam([*table.parameters(), *pooler.parameters()], lr=1e-3)
y = pooler(table(ids), valid)
loss = (y - 1).pow(2).mean()
loss.backward()
opt.step()
