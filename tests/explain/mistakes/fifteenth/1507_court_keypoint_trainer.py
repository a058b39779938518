import torch
import torch.nn as nn


def train(model, loader, optimizer, criterion):
    model.train()
    total = 0.0
    for inputs, targets in loader:
        out = model(inputs)
        loss = criterion(out, targets)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


torch.manual_seed(0)
x = torch.randn(64, 8)
y = x @ torch.randn(8, 2)
loader = [(x[i:i + 16], y[i:i + 16]) for i in range(0, 64, 16)]
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.MSELoss()
history = [train(model, loader, optimizer, criterion) for epoch in range(30)]
print(history[0], history[-1])
