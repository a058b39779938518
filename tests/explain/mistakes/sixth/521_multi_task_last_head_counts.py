import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.body = nn.Linear(6, 12)
        self.heads = nn.ModuleList(nn.Linear(12, 1) for _ in range(tasks))

    def forward(self, x):
        h = torch.relu(self.body(x))
        return [head(h) for head in self.heads]


torch.manual_seed(0)
model = MultiTask(3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    x, targets = torch.randn(7, 6), torch.randn(3, 7, 1)
    loss = 0.0
    for out, target in zip(model(x), targets):
        loss =+ nn.functional.mse_loss(out, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
