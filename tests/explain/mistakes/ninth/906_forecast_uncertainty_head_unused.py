import torch
from torch import nn


class Probabilistic(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.GRU(1, size, batch_first=True)
        self.mean, self.spread = nn.Linear(size, 1), nn.Linear(size, 1)

    def forward(self, x):
        h = self.body(x)[0][:, -1]
        return self.mean(h), nn.functional.softplus(self.spread(h))


torch.manual_seed(0)
model = Probabilistic(6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    x, y = torch.randn(5, 10, 1), torch.randn(5, 1)
    mean, spread = model(x)
    loss = nn.functional.mse_loss(mean, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
