import torch
from torch import nn


class Weighted(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 12), nn.ReLU())
        self.heads = nn.ModuleList(nn.Linear(12, 1) for _ in range(tasks))
        self.log_variance = nn.Parameter(torch.zeros(tasks))

    def forward(self, x, targets):
        h = self.body(x)
        losses = [nn.functional.mse_loss(head(h), y) for head, y in zip(self.heads, targets)]
        return sum(torch.exp(-s) * loss + s for s, loss in zip(self.log_variance, losses)), losses


torch.manual_seed(0)
model = Weighted(2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
history = []
for _ in range(4):
    x = torch.randn(8, 5)
    loss, parts = model(x, [x[:, :1], x.sum(1, keepdim=True)])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append([part.item() for part in parts])
