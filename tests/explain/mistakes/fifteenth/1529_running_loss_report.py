import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.MSELoss()
batches = [(torch.randn(8, 6), torch.randn(8, 1)) for _ in range(6)]

for epoch in range(2):
    running_loss = 0
    optimizer.zero_grad()
    for xb, yb in batches:
        loss = criterion(model(xb), yb)
        loss.backward()
        running_loss += loss
    running_loss.backward()
    optimizer.step()
    print("epoch", epoch, "mean loss", running_loss.item() / len(batches))
