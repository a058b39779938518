"""Operators, indexing, creation, conversion."""

from typing import assert_type

import numpy as np
import torch
from torch import Tensor

x = torch.zeros(3, 4)
assert_type(2 - x / 3 + x**2, Tensor)
assert_type(x @ x.T, Tensor)
assert_type(x == x, Tensor)
assert_type(x[0, ..., None, 1:], Tensor)
assert_type(x[x > 0], Tensor)
x[0] = 1
x += 1
assert_type(x.to(torch.float64), Tensor)
assert_type(x.view(-1), Tensor)
assert_type(x.reshape(2, 6), Tensor)
assert_type(x.permute(1, 0), Tensor)
assert_type(x.numel(), int)
assert_type(x.size(0), int)
assert_type(x.size(), torch.Size)
assert_type(len(x), int)
assert_type(x.is_floating_point(), bool)
assert_type(float(x.sum()), float)
assert_type(x.type(), str)
assert_type(x.type(torch.int64), Tensor)
array: np.ndarray = x.numpy()
assert_type(torch.from_numpy(array), Tensor)
assert_type(torch.arange(3), Tensor)
assert_type(torch.full((2, 2), 1.5, dtype=torch.float32, device="cpu"), Tensor)
assert_type(torch.cat([x, x], dim=1), Tensor)
assert_type(torch.stack((x, x)), Tensor)
assert_type(torch.einsum("ij,kj->ik", x, x), Tensor)
for row in x:
    assert_type(row, Tensor)


def wrong() -> None:
    torch.zeross(3)  # type: ignore[attr-defined]
    x.sumn()  # type: ignore[attr-defined]
    torch.zeros("3")  # type: ignore[arg-type]
    text: str = x.sum()  # type: ignore[assignment]
    print(text)
