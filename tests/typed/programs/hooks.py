"""Hooks, and loops over what autograd did."""

from typing import assert_type

import torch
from torch import Tensor, nn

seen: list[Tensor] = []


def keep(module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
    seen.append(output.detach())


model = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
handle = model[0].register_forward_hook(keep)
x = torch.ones(1, 2, requires_grad=True)
x.register_hook(lambda g: g * 2)
model(x).sum().backward()
handle.remove()
assert_type(seen[0], Tensor)
assert_type(x.grad, Tensor | None)
with torch.autograd.set_detect_anomaly(True):
    model(x).sum().backward()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
assert_type(torch.ones(3, device=device).to(device), Tensor)
with torch.autocast("cpu", dtype=torch.bfloat16):
    half: Tensor = model(x)
