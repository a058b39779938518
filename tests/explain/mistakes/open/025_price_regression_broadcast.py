import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.layers(x)


def rmse(prediction, target):
    return torch.sqrt(((prediction - target) ** 2).mean() + 1e-12)


torch.manual_seed(0)
x = torch.randn(32, 5)
y = x @ torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0])
loader = DataLoader(TensorDataset(x, y), batch_size=16)
model = Regressor()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for x, y in loader:
        loss = rmse(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
