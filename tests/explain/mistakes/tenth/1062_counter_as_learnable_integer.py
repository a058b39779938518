import torch
from torch import nn


class ShiftScale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.arange(width))

    def forward(self, x):
        return x * self.scale + self.shift


torch.manual_seed(0)
layer = ShiftScale(4)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.randn(3, 4)).pow(2).mean().backward()
opt.step()
