import torch
from torch import nn


class Ordinal(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.score = nn.Linear(4, 1)
        self.edges = nn.Parameter(torch.linspace(-1, 1, bins - 1))

    def forward(self, x):
        return (self.score(x) > self.edges).float().sum(1)


torch.manual_seed(0)
model = Ordinal(5)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(8, 4), torch.randint(0, 5, (8,)).float()
loss = (model(x) - y).abs().mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
