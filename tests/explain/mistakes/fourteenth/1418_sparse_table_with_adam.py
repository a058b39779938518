import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(1000, 16, sparse=True)
        self.item = nn.Embedding(2000, 16, sparse=True)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(1)


torch.manual_seed(0)
model = TwoTower()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(3):
    u, i = torch.randint(0, 1000, (64,)), torch.randint(0, 2000, (64,))
    click = (torch.rand(64) < 0.3).float()
    loss = nn.functional.binary_cross_entropy_with_logits(model(u, i), click)
    opt.zero_grad()
    loss.backward()
    opt.step()
