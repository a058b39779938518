import torch
from torch import nn


class Quantiles(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 1))

    def forward(self, x):
        return self.net(x)


def pinball(y, predicted, q):
    global error
    error = y - predicted
    return torch.max(q * error, (q - 1) * error).mean()


torch.manual_seed(0)
model = Quantiles()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(9, 3)
    loss = pinball(x.sum(1), model(x), 0.9)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
