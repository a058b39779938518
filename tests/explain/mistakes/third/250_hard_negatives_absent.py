import torch
from torch import nn


class Miner(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, distance_pos, distance_neg):
        gap = distance_pos - distance_neg + self.margin
        hard = gap[gap > 0]
        return hard.mean()


torch.manual_seed(0)
embed, miner = nn.Linear(5, 3), Miner(0.1)
anchor = torch.randn(6, 5)
positive, negative = anchor + 0.01, anchor + 10 * torch.ones(6, 5)
a, p, n = embed(anchor), embed(positive), embed(negative)
loss = miner((a - p).norm(dim=1), (a - n).norm(dim=1))
loss.backward()
print(loss)
