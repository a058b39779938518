"""Layers, containers, parameters."""

from collections import OrderedDict
from typing import assert_type

import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("offset", torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


model = nn.Sequential(OrderedDict(block=Block(), end=nn.GELU()))
assert_type(model.eval().training, bool)
assert_type(model.to(torch.float64), nn.Sequential)
assert_type(nn.Linear(2, 3).weight.shape, torch.Size)
out: Tensor = model(torch.ones(2, 4, dtype=torch.float64))
for name, parameter in model.named_parameters():
    assert_type(name, str)
    assert_type(parameter, nn.Parameter)
total: int = sum(p.numel() for p in model.parameters())
convolution = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten())
convolution(torch.zeros(1, 1, 4, 4))


def wrong() -> None:
    nn.Linaer(2, 3)  # type: ignore[attr-defined]
    nn.Linear("2", 3)  # type: ignore[arg-type]
