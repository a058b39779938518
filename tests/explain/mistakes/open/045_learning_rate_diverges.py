import torch
import torch.nn as nn


def fit(model, x, y, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


torch.manual_seed(0)
x = torch.linspace(-3, 3, 20).unsqueeze(1)
y = 2 * x ** 2 - 1
model = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
losses = fit(model, x, y, 12)
print(losses)
