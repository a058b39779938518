import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 4, 5), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 16, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x)).squeeze(1)


torch.manual_seed(0)
model = Detector()
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(8, 1, 20)
    y = (x.mean((1, 2)) > 0).float()
    loss = criterion(y, model(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
