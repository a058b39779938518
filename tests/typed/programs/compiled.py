"""`torch.compile` as a function and as a decorator."""

from typing import assert_type

import torch
from torch import Tensor, nn


def scaled(x: Tensor, factor: float = 2.0) -> Tensor:
    return x * factor


@torch.compile
def bare(x: Tensor) -> Tensor:
    return x + 1


@torch.compile(fullgraph=True, mode="reduce-overhead")
def called(x: Tensor, times: int) -> tuple[Tensor, int]:
    return x * times, times


fast = torch.compile(scaled)
assert_type(fast(torch.ones(3), factor=3.0), Tensor)
assert_type(bare(torch.ones(3)), Tensor)
assert_type(called(torch.ones(3), 2), tuple[Tensor, int])
model = torch.compile(nn.Linear(3, 4))
assert_type(model, nn.Linear)
assert_type(model.in_features, int)


def wrong() -> None:
    fast("three")  # type: ignore[arg-type]
    bare(torch.ones(3), 1)  # type: ignore[call-arg]
