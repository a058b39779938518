import warnings
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Conv2d(3, 3, 3))
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        x = checkpoint(self.stem, x, use_reentrant=True)
        return self.head(x.mean((2, 3)))


torch.manual_seed(0)
model = Backbone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 1, 0])
for _ in range(2):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.stem[0].weight.grad)
