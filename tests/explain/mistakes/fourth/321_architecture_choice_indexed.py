import torch
import torch.nn.functional as F
from torch import nn


class MixedCell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.ops = nn.ModuleList([nn.Linear(size, size), nn.Sequential(nn.Linear(size, size), nn.ReLU())])
        self.alpha = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        choice = F.gumbel_softmax(self.alpha, tau=1.0, hard=True).argmax()
        return self.ops[int(choice)](x)


torch.manual_seed(0)
cell, head = MixedCell(6), nn.Linear(6, 3)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-2)
for step in range(4):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    optimizer.zero_grad()
    F.cross_entropy(head(cell(x)), y).backward()
    optimizer.step()
