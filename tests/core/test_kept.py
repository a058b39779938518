"""What a node keeps beside what its rule reads, and views that were made where nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch


def leaf(*shape: int) -> Any:
    values = torch.linspace(0.5, 1.5, max(1, torch.Size(shape).numel()))
    return values.reshape(shape).clone().requires_grad_()


def image() -> Any:
    return torch.linspace(-1, 1, 18).reshape(1, 2, 3, 3)


def convolution(w: Any) -> tuple[Any, Any]:
    x = image()
    return torch.nn.functional.conv2d(x, w), w


def convolution_of_a_constant_weight(x: Any) -> tuple[Any, Any]:
    w = torch.ones(1, 2, 2, 2)
    return torch.nn.functional.conv2d(x, w), x


def pool(x: Any) -> tuple[Any, Any]:
    y = x.clone()
    return torch.nn.functional.avg_pool2d(y, 2), y


def running_product(x: Any) -> tuple[Any, Any]:
    y = torch.cumprod(x, 0)
    return y, y


def padding(x: Any) -> tuple[Any, Any]:
    y = x.clone()
    return torch.nn.functional.pad(y, (0, 1), mode="replicate"), y


def statistics(x: Any) -> tuple[Any, Any]:
    mean = torch.zeros(2)
    return torch.nn.functional.batch_norm(x, mean, torch.ones(2), training=True), mean


def rounded_quotient(x: Any) -> tuple[Any, Any]:
    y = x.clone()
    return torch.div(torch.ones(3), y, rounding_mode="floor"), y


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (convolution, (1, 2, 2, 2)),
        (convolution_of_a_constant_weight, (1, 2, 3, 3)),
        (pool, (1, 2, 3, 3)),
        (running_product, (3,)),
        (padding, (1, 2, 3)),
        (statistics, (1, 2, 3, 3)),
        (rounded_quotient, (3,)),
    ],
)
def test_writing_to_what_is_kept(
    function: Callable[[Any], tuple[Any, Any]], shape: tuple[int, ...]
) -> None:
    x = leaf(*shape)
    y, kept = function(x)
    with torch.no_grad():
        kept.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_logaddexp_reads_its_operands_only() -> None:
    x, y = leaf(3), leaf(3)
    z = torch.logaddexp(x, y)
    with torch.no_grad():
        z.zero_()
    z.sum().backward()
    assert torch.allclose(x.grad, torch.full((3,), 0.5))


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_view_without_history(mode: Any) -> None:
    x = leaf(2, 3)
    with mode():
        views = [x[...], x[0], x.view(-1), x.unbind()[1]]
    for v in views:
        assert v.requires_grad
        assert v.is_leaf
        assert v.grad_fn is None
        y = v * 2
        assert y.requires_grad
        assert y.grad_fn.next_functions == ((None, 0), (None, 0))
        assert v[..., :1].grad_fn.next_functions == ((None, 0),)
        assert torch.autograd.grad(y.sum(), [x], allow_unused=True) == (None,)
        with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
            v.sum(0).detach().backward()
        with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
            torch.autograd.backward(v, torch.ones_like(v))


def test_view_of_a_leaf_that_is_a_view_without_history() -> None:
    x = torch.ones(6).reshape(2, 3).requires_grad_()
    with torch.no_grad():
        v = x[0]
    assert not v.requires_grad
    assert not (v * 2).requires_grad


def test_view_without_history_becomes_a_leaf() -> None:
    x = leaf(3)
    with torch.no_grad():
        v = x[1:]
    assert v.requires_grad_(False).requires_grad
    v.requires_grad_()
    (v * 2).sum().backward()
    assert v.grad.tolist() == [2.0, 2.0]
    assert x.grad is None


def test_rearranged_without_record() -> None:
    y = leaf(2, 3) * 2
    node = y.grad_fn
    with torch.no_grad():
        y.t_()
    assert y.grad_fn is node


def test_next_functions_are_plain_pairs() -> None:
    parts = (leaf(2, 3) * 2).split(1)
    assert [type(pair) for pair in parts[1].cos().grad_fn.next_functions] == [tuple]


def test_a_padding_written_part_by_part_goes_backward_once():
    x = leaf(1, 3)
    y = torch.nn.functional.pad(x, (1, 1), mode="circular").sum()
    y.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.backward()
