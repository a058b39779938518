import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(160, 10)
y = (x.sum(dim=1) > 0).long()
val_x = torch.randn(40, 10)
val_y = (val_x.sum(dim=1) > 0).long()


def evaluate_now():
    model.eval()
    with torch.no_grad():
        return nn.functional.cross_entropy(model(val_x), val_y).item()


model.train()
for iteration in range(20):
    i = (iteration % 10) * 16
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[i:i + 16]), y[i:i + 16])
    loss.backward()
    optimizer.step()
    if iteration % 5 == 2:
        print(iteration, loss.item(), evaluate_now())
