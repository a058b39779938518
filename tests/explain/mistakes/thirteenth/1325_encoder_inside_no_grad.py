import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 8))
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        with torch.no_grad():
            z = self.encoder(x)
        return self.head(z)


torch.manual_seed(0)
model = Classifier()
opt = torch.optim.AdamW([
    {"params": model.encoder.parameters(), "lr": 1e-4},
    {"params": model.head.parameters(), "lr": 1e-3},
])
x, y = torch.randn(40, 12), torch.randint(0, 3, (40,))
for epoch in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
