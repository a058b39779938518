import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(10, 4), torch.randn(10)
importance = torch.rand(10)
for epoch in range(3):
    prediction = model(x)
    error = (prediction - y) ** 2 * importance
    loss = error.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
