"""Calls of which nothing is recorded give what recorded ones give, in every mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback.nn import functional as F


def _draw(*shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def _image() -> Any:
    x = _draw(2, 3, 9, 10)
    x[0, 1, 4, 5] = torch.nan
    return x


V = _draw(3).abs()
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "stacks": (lambda x: x @ x.transpose(-1, -2), _draw(2, 3, 4, 5)),
    "stacks that are infinite": (lambda x: x @ x.transpose(-1, -2), _draw(2, 3, 4) * torch.inf),
    "linear": (lambda x: F.linear(x, _draw(5, 4), _draw(5)), _draw(2, 3, 4)),
    "layer norm": (lambda x: F.layer_norm(x, (3, 4), _draw(3, 4), _draw(3, 4)), _draw(2, 3, 4)),
    "batch norm": (lambda x: F.batch_norm(x, _draw(3), V, V, _draw(3)), _draw(2, 3, 4)),
    "batch norm of rows": (lambda x: F.batch_norm(x, _draw(3), V, V, _draw(3)), _draw(2, 3)),
    "pool": (lambda x: F.max_pool2d(x, 2), _image()),
    "pool of one image": (lambda x: F.max_pool2d(x, 2), _image()[0]),
    "pool with padding": (lambda x: F.max_pool2d(x, (3, 2), 2, 1, ceil_mode=True), _image()),
    "pool with gaps": (lambda x: F.max_pool2d(x, 2, 1, 0, 3), _image()),
    "pool of rows": (lambda x: F.max_pool1d(x, 3, 2, 1), _draw(2, 3, 9)),
    "pool of bodies": (lambda x: F.max_pool3d(x, 2), _draw(1, 2, 4, 5, 6)),
    "pool of channels last": (
        lambda x: F.max_pool2d(x, 2), _image().contiguous(memory_format=torch.channels_last)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_mode_gives_the_same(name: str) -> None:
    function, x = FUNCTIONS[name]
    recorded = function(x.clone().requires_grad_())
    assert recorded.requires_grad
    with torch.no_grad():
        unrecorded = function(x.clone().requires_grad_())
    with torch.inference_mode():
        inferred = function(x)
    assert inferred.is_inference()
    for found in (function(x), unrecorded, inferred):
        assert not found.requires_grad
        torch.testing.assert_close(found, recorded.detach(), rtol=0, atol=0, equal_nan=True)
        assert found.stride() == recorded.stride()
    assert function(x)._is_view() == unrecorded._is_view()


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "stacks" not in name])
def test_bad_arguments_have_their_errors(name: str) -> None:
    function, x = FUNCTIONS[name]
    with torch.inference_mode(), pytest.raises((RuntimeError, ValueError, IndexError)):
        function(x.reshape(-1, 1, 1, 1, 1, 1, 1))


def test_ops_in_inference_mode() -> None:
    x, w = torch.ones(3), torch.ones(3, requires_grad=True)
    with torch.inference_mode():
        for made in (x + 1, x.exp(), torch.cat([x, w]), torch.stack([x, w]), x.clone(), w * x):
            assert made.is_inference() and not made.requires_grad
            with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
                _ = made._version
        part = x[1:]
        assert not part.is_inference() and part._base is x
        for half in x.split(2):
            assert half._base is x
        made = x + 1
        made.add_(1)
        made[0] = 5
        assert made[1:].is_inference()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        made.add_(1)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        _ = made * w
