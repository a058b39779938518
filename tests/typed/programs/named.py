"""Results with names, and results that depend on the arguments."""

from typing import assert_type

import torch
from torch import Tensor

x = torch.arange(12.0).reshape(3, 4)
assert_type(x.max(), Tensor)
assert_type(x.max(dim=1).values, Tensor)
assert_type(torch.max(x, x), Tensor)
assert_type(torch.min(x, 0, keepdim=True).indices, Tensor)
values, indices = x.median(0)
assert_type(values, Tensor)
assert_type(x.sort(descending=True).indices, Tensor)
assert_type(x.topk(2)[0], Tensor)
assert_type(torch.mode(x).values, Tensor)
assert_type(torch.aminmax(x).max, Tensor)
assert_type(torch.unique(x), Tensor)
assert_type(torch.unique(x, return_counts=True), tuple[Tensor, Tensor])
assert_type(x.unique(return_inverse=True, return_counts=True), tuple[Tensor, Tensor, Tensor])
assert_type(x.nonzero(), Tensor)
assert_type(x.nonzero(as_tuple=True), tuple[Tensor, ...])
assert_type(torch.where(x > 3), tuple[Tensor, ...])
assert_type(torch.where(x > 3, x, 0.0), Tensor)
assert_type(torch.std_mean(x), tuple[Tensor, Tensor])
assert_type(torch.frexp(x).exponent, Tensor)
assert_type(x.split(1), tuple[Tensor, ...])
assert_type(torch.meshgrid(x[0], x[1], indexing="ij"), tuple[Tensor, ...])


def wrong() -> None:
    x.sort().value  # type: ignore[attr-defined]
    x.max().valeus  # type: ignore[attr-defined]
