import torch
import torch.nn as nn


class Histogram(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.fc = nn.Linear(3, 1)
        self.width = nn.Parameter(torch.tensor(0.5))
        self.levels = nn.Parameter(torch.randn(bins))

    def forward(self, x):
        position = torch.floor(self.fc(x) / self.width)
        return torch.sin(position * self.levels).sum(1)


torch.manual_seed(0)
model = Histogram(4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 3), torch.rand(10)
for _ in range(3):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.width.grad, model.fc.weight.grad)
