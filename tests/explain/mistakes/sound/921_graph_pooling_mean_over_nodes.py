import torch
from torch import nn


class Graphs(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.one, self.two, self.out = nn.Linear(3, size), nn.Linear(size, size), nn.Linear(size, 2)

    def forward(self, x, edges, owner, count):
        h = torch.relu(self.one(x))
        source, target = edges
        h = h + torch.zeros_like(h).index_add(0, target, self.two(h[source]))
        total = torch.zeros(count, h.shape[1]).index_add(0, owner, h)
        members = torch.zeros(count).index_add(0, owner, torch.ones(len(x))).clamp(min=1)
        return self.out(total / members[:, None])


torch.manual_seed(0)
model = Graphs(8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    x, edges, owner = torch.randn(9, 3), torch.randint(0, 9, (2, 14)), torch.arange(9) // 3
    loss = nn.functional.cross_entropy(model(x, edges, owner, 3), torch.randint(0, 2, (3,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
