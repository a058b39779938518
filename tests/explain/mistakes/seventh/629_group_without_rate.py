import torch
from torch import nn


class Speaker(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.body(x))


def groups(model, rate, factor):
    yield {"params": model.body.parameters(), "lr": rate}
    yield {"params": model.head.parameters(), "lr": rate * factor}


torch.manual_seed(0)
model = Speaker()
start = model.head.weight.detach().clone()
optimizer = torch.optim.Adam(groups(model, 1e-3, 5 // 10))
for _ in range(3):
    x, y = torch.randn(8, 10), torch.randint(0, 5, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
