import torch
import torch.nn as nn


def train_epoch(model, loader, optimizer, scheduler):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
loader = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(8)]
for epoch in range(3):
    print(epoch, train_epoch(model, loader, optimizer, scheduler))
