"""Gradients under `create_graph` that do not vary with the input: what they require and lead to in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

F = torch.nn.functional


def plane(*shape: int) -> Any:
    return torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape).requires_grad_()


PIECEWISE: list[tuple[str, Callable[[Any], Any]]] = [
    ("ThresholdBackwardBackward0", torch.relu),
    ("ThresholdBackwardBackward0", lambda x: F.threshold(x, 1.0, 2.0)),
    ("LeakyReluBackwardBackward0", F.leaky_relu),
    ("HardtanhBackwardBackward0", F.relu6),
    ("HardshrinkBackwardBackward0", F.hardshrink),
    ("SoftshrinkBackwardBackward0", F.softshrink),
    ("MaxPool2DWithIndicesBackwardBackward0", lambda x: F.max_pool2d(x, 2)),
    ("AvgPool2DBackwardBackward0", lambda x: F.avg_pool2d(x, 2)),
    ("AdaptiveAvgPool2DBackwardBackward0", lambda x: F.adaptive_avg_pool2d(x, 2)),
    ("AdaptiveMaxPool2DBackwardBackward0", lambda x: F.adaptive_max_pool2d(x, 2)),
    ("ReflectionPad2DBackwardBackward0", lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect")),
]


@pytest.mark.parametrize(("name", "call"), PIECEWISE)
def test_zeros_and_not_unused(name: str, call: Callable[[Any], Any]) -> None:
    x = plane(1, 1, 4, 4)
    y = call(x)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    assert g.requires_grad
    assert type(g.grad_fn).__name__ == name
    (h,) = torch.autograd.grad(g.sum(), x)
    assert torch.equal(h, torch.zeros_like(x))


def test_the_covector_is_still_reached() -> None:
    x, v = plane(1, 1, 4, 4), torch.ones(1, 1, 4, 4, requires_grad=True)
    (g,) = torch.autograd.grad(F.leaky_relu(x - 3, 0.5), x, v, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), v)
    assert h.flatten()[:4].tolist() == [0.5, 0.5, 0.5, 1.0]


def test_gradients_of_a_convolution_require_grad_together() -> None:
    x, w, b = plane(1, 1, 4, 4), plane(1, 1, 2, 2), plane(1)
    y = F.conv2d(x, w, b)
    grads = torch.autograd.grad(y, (x, w, b), torch.ones_like(y), create_graph=True)
    assert all(g.requires_grad for g in grads)
    seconds = torch.autograd.grad(grads[2].sum(), (x, w, b), allow_unused=True)
    assert seconds == (None, None, None)


def test_a_pullback_that_torch_does_not_differentiate() -> None:
    x = plane(3)
    (g,) = torch.autograd.grad(F.hardsigmoid(x).sum(), x, create_graph=True)
    assert type(g.grad_fn).__name__ == "NotImplemented"
    with pytest.raises(RuntimeError, match="^derivative for aten::hardsigmoid_backward is not implemented$"):
        g.sum().backward()


def test_weights_of_normalisations_are_not_reached_from_their_own_gradient() -> None:
    x, w = plane(2, 3), torch.ones(3, requires_grad=True)
    y = F.layer_norm(x, (3,), w)
    (g,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    assert torch.autograd.grad(g.sum(), w, allow_unused=True) == (None,)


def test_materialized_zeros_require_grad() -> None:
    x, z = plane(3), plane(2)
    (g,) = torch.autograd.grad(x.sum(), z, create_graph=True, materialize_grads=True)
    assert g.requires_grad
    assert g.is_leaf
