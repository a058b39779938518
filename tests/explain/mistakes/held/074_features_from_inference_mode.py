import torch
from torch import nn


class FeatureExtractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU())

    @torch.inference_mode()
    def forward(self, x):
        return self.net(x)


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))
        self.out = nn.Linear(8, 2)

    def forward(self, features):
        return self.out(features * self.scale)


torch.manual_seed(0)
extract, probe = FeatureExtractor(), Probe()
optimizer = torch.optim.Adam(probe.parameters(), lr=1e-2)
x, y = torch.randn(10, 6), torch.randint(0, 2, (10,))
for _ in range(2):
    loss = nn.functional.cross_entropy(probe(extract(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
