import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.score = nn.Sequential(nn.Linear(4 * 14 * 14, 32), nn.ReLU(), nn.Linear(32, classes))

    def forward(self, x):
        h = self.features(x)
        return self.score(h)


torch.manual_seed(0)
model = Digits(10)
x, y = torch.rand(3, 1, 28, 28), torch.randint(0, 10, (3,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(model(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
