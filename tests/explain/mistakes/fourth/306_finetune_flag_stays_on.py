import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self, freeze=True):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(9, 12), nn.GELU(), nn.Linear(12, 6))
        self.head = nn.Linear(6, 3)
        self.freeze = freeze

    def forward(self, x):
        if self.freeze:
            with torch.no_grad():
                h = self.encoder(x)
        else:
            h = self.encoder(x)
        return self.head(h)


torch.manual_seed(0)
model = Probe()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(3):
    x, y = torch.randn(7, 9), torch.randint(0, 3, (7,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
