import torch
from torch import nn
import torch.nn.functional as F


class MultiHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(10, 20)
        self.heads = nn.ModuleList([nn.Linear(20, c) for c in (2, 3, 4)])

    def forward(self, x):
        h = F.relu(self.body(x))
        return [head(h) for head in self.heads]


torch.manual_seed(0)
model = MultiHead()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(24, 10)
labels = [torch.randint(0, c, (24,)) for c in (2, 3, 4)]
for epoch in range(10):
    loss = 0.0
    for out, label in zip(model(x), labels):
        loss = F.cross_entropy(out, label)
    opt.zero_grad()
    loss.backward()
    opt.step()
