"""Function transforms keep the parameters of what they transform."""

from typing import Any, assert_type

import torch
from torch import Tensor
from torch.func import grad, hessian, jacfwd, jacrev, vmap


def energy(x: Tensor, scale: float) -> Tensor:
    return (x * x).sum() * scale


x = torch.ones(3)
assert_type(vmap(energy, in_dims=(0, None))(torch.ones(2, 3), 2.0), Tensor)
assert_type(torch.vmap(torch.sin)(x), Tensor)
gradient: Tensor = grad(energy)(x, 2.0)
rows: Tensor = jacrev(energy)(x, 2.0)
columns: Tensor = jacfwd(energy)(x, 2.0)
second: Tensor = hessian(energy)(x, 2.0)
jacobian: Any = torch.autograd.functional.jacobian(lambda v: v * 2, x)


def wrong() -> None:
    grad(energy)(x, "2")  # type: ignore[arg-type]
    vmap(energy)(x)  # type: ignore[call-arg]
