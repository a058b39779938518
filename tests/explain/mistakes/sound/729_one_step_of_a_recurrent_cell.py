import torch
from torch import nn


class OneStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRUCell(4, 6), nn.Linear(6, 1)

    def forward(self, x, h=None):
        h = torch.zeros(len(x), 6) if h is None else h
        h = self.cell(x, h)
        return self.out(h), h


torch.manual_seed(0)
model = OneStep()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for turn in range(3):
    h = None
    loss = 0.0
    for _ in range(1 + turn):
        x = torch.randn(5, 4)
        y, h = model(x, h)
        loss = loss + nn.functional.mse_loss(y, x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
