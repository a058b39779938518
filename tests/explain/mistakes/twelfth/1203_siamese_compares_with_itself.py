import torch
from torch import nn


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, pair):
        left = self.branch(pair[0])
        right = self.branch(pair[0])
        return (left - right).pow(2).sum(1)


def contrastive(d2, different, margin=1.0):
    return ((1 - different) * d2 + different * (margin - d2).clamp(min=0)).mean()


torch.manual_seed(0)
twin = Twin()
opt = torch.optim.Adam(twin.parameters(), lr=1e-3)
for _ in range(3):
    pair, different = torch.randn(2, 12, 9), torch.randint(0, 2, (12,)).float()
    loss = contrastive(twin(pair), different)
    opt.zero_grad()
    loss.backward()
    opt.step()
