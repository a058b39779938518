import warnings
import torch
from torch import nn

warnings.simplefilter("ignore")


class Cosine(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, features))
        self.scale = nn.Parameter(torch.tensor(10.0))

    def forward(self, x):
        w = nn.functional.normalize(self.weight, dim=1)
        x = nn.functional.normalize(x, dim=1)
        return torch.tensor(self.scale) * x @ w.T


torch.manual_seed(0)
model = Cosine(6, 3)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 3, (5,)))
    loss.backward()
    optimizer.step()
