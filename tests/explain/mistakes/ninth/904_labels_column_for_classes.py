import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
table = torch.cat([torch.randn(20, 5), torch.randint(0, 3, (20, 1)).float()], 1)
data = TensorDataset(table[:, :5], table[:, 5:].long())
model = nn.Sequential(nn.Linear(5, 16), nn.ELU(), nn.Linear(16, 3))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)


def run(loader):
    total = 0.0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


print(run(DataLoader(data, batch_size=4)))
