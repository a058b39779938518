"""`rearrange` inside transforms (patterns and errors are in tests/behaviour)."""

from __future__ import annotations

import numpy as np

import pullback as torch
from pullback.func import grad, rearrange, vmap


def test_gradient() -> None:
    weights = torch.arange(6.0)
    got = grad(lambda x: (rearrange(x, "a b -> (b a)") * weights).sum())(torch.ones(2, 3))
    np.testing.assert_array_equal(got.numpy(), np.arange(6.0).reshape(3, 2).T)


def test_rows() -> None:
    x = torch.arange(12).view(2, 6)
    got = vmap(lambda x: rearrange(x, "(a b) -> b a", a=3))(x)
    np.testing.assert_array_equal(got.numpy(), x.numpy().reshape(2, 3, 2).swapaxes(1, 2))
