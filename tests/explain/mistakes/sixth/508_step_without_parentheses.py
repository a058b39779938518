import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
start = [p.detach().clone() for p in model.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.randn(32, 1))


def epoch(loader):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step
        total += loss.item()
    return total / len(loader)


for _ in range(3):
    print(epoch(torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)))
