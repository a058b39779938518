import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(7, 10), nn.ReLU(), nn.Linear(10, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
history = []
for epoch in range(4):
    for x, y in zip(torch.randn(3, 5, 7), torch.randint(0, 3, (3, 5))):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        optimizer.step()
        history.append(loss.item())
print(history[0], history[-1])
