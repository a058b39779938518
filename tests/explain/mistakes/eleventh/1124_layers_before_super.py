import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, width: int, bias: float = -1.0):
        self.plain = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)
        super().__init__()
        nn.init.constant_(self.gate.bias, bias)

    def forward(self, x):
        g = torch.sigmoid(self.gate(x))
        return g * torch.relu(self.plain(x)) + (1 - g) * x


net = nn.Sequential(Highway(5), Highway(5), nn.Linear(5, 1))
net(torch.randn(3, 5)).sum().backward()
