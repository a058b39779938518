import torch
import torch.nn as nn


def train_epoch(model, batches, criterion, optimizer):
    model.train()
    total_loss = 0.0
    for x, y in batches:
        optimizer.zero_grad()
        total_loss = total_loss + criterion(model(x), y)
        total_loss.backward()
        optimizer.step()
    return total_loss / len(batches)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
batches = [(torch.randn(6, 4), torch.randint(0, 2, (6,))) for _ in range(5)]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    print(train_epoch(model, batches, nn.CrossEntropyLoss(), optimizer))
