import torch
import torch.nn as nn


class Centred(nn.Module):
    def __init__(self, width, momentum=0.1):
        super().__init__()
        self.running = torch.zeros(width)
        self.momentum = momentum

    def forward(self, x):
        mean = x.mean(0)
        self.running = (1 - self.momentum) * self.running + self.momentum * mean
        return x - self.running


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 6), Centred(6), nn.ReLU(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    x, y = torch.randn(7, 5), torch.randint(0, 2, (7,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
