import torch
import torch.nn as nn


def rmse(pred, target):
    rows = ((pred - target) ** 2).mean(dim=1)
    return torch.sqrt(rows).mean()


torch.manual_seed(0)
model = nn.Linear(6, 3, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(10, 6)
y = torch.randn(10, 3)
lengths = 7
x[lengths:] = 0
y[lengths:] = 0
losses = []
for step in range(3):
    loss = rmse(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses)
print(model.weight.grad)
