import math

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(length, width))
        t = torch.arange(length)[:, None].float()
        f = torch.exp(torch.arange(0, width, 2).float() * (-math.log(1e4) / width))
        self.pos[:, 0::2] = torch.sin(t * f)
        self.pos[:, 1::2] = torch.cos(t * f)

    def forward(self, x):
        return x + self.pos[: x.shape[1]]


layer = Positions(20, 8)
x = torch.randn(2, 10, 8)
layer(x).sum().backward()
