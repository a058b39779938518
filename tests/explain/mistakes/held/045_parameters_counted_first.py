import torch
from torch import nn


class Baseline(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)


def configure(model):
    params = model.parameters()
    count = sum(p.numel() for p in params)
    print(f"{count} parameters")
    return torch.optim.Adam(params, lr=1e-3)


torch.manual_seed(0)
model = Baseline()
optimizer = configure(model)
loss = model(torch.randn(3, 6)).pow(2).mean()
loss.backward()
optimizer.step()
