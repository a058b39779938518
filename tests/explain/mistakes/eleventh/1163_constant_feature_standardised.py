import torch
from torch import nn


class Table:
    def __init__(self, rows):
        self.mean, self.std = rows.mean(0), rows.std(0)
        self.rows = rows

    def scaled(self):
        return (self.rows - self.mean) / self.std


torch.manual_seed(0)
rows = torch.randn(50, 4) * torch.tensor([1.0, 5.0, 0.0, 2.0]) + 3
x = Table(rows).scaled()
y = (rows[:, 0] > 3).long()
net = nn.Linear(4, 2)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for part in torch.arange(50).split(25):
    loss = nn.functional.cross_entropy(net(x[part]), y[part])
    opt.zero_grad()
    loss.backward()
    opt.step()
