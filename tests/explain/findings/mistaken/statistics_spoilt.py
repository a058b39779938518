"""Batch norm has met NaN in training, and its statistics spoil every batch afterwards."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
data = torch.rand(12, 3)
data[2, 1] = float("nan")  # <-- culprit
with torch.no_grad():
    model(data[:6])
model[1].eval()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = model(data[6:]).square().mean()
    loss.backward()
    optimizer.step()
