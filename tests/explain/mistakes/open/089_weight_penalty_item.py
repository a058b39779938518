import torch
import torch.nn as nn


def penalty(model):
    total = torch.zeros(())
    for name, p in model.named_parameters():
        if "weight" in name:
            total = total + p.data.abs().sum()
    return total


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 6), nn.ReLU(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(30, 10)
y = 2 * x[:, :1]
for step in range(5):
    loss = nn.functional.mse_loss(model(x), y) + 0.1 * penalty(model)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), penalty(model).item())
