import torch
from torch import nn


def validate(model, x, y):
    with torch.no_grad():
        logits = model(x)
        return (logits.argmax(1) == y).float().mean().item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(40, 8), torch.randint(0, 2, (40,))
for epoch in range(3):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[:30]), y[:30])
    loss.backward()
    optimizer.step()
    print(epoch, loss.item(), validate(model, x[30:], y[30:]))
