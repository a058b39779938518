import torch
from torch import nn

torch.manual_seed(0)
ratings = torch.tensor([1, 5, 3, 2, 4, 5])
features = torch.randn(6, 7)
model = nn.Sequential(nn.Linear(7, 9), nn.Tanh(), nn.Linear(9, 5))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = criterion(model(features), ratings)
    loss.backward()
    optimizer.step()
