"""`torch.utils.swap_tensors`: contents change places, identities stay."""

from __future__ import annotations

import weakref

import pytest

import pullback as torch
from pullback.utils import swap_tensors


def test_values_attributes_and_classes_change_places() -> None:
    p, y = torch.nn.Parameter(torch.ones(2)), torch.zeros(3, dtype=torch.float64)
    y.note = "kept"
    (p * 2).sum().backward()
    swap_tensors(p, y)
    assert type(p) is torch.Tensor and type(y) is torch.nn.Parameter
    assert p.tolist() == [0.0] * 3 and p.dtype is torch.float64 and p.note == "kept" and p.grad is None
    assert y.tolist() == [1.0] * 2 and y.requires_grad and y.grad.tolist() == [2.0] * 2
    (y * 3).sum().backward()
    assert y.grad.tolist() == [5.0] * 2


def test_a_history_goes_with_its_tensor() -> None:
    p = torch.ones(2, requires_grad=True)
    y, z = p * 2, torch.zeros(3)
    swap_tensors(y, z)
    z.sum().backward()
    assert p.grad.tolist() == [2.0, 2.0] and not y.requires_grad


def test_a_graph_that_ends_at_a_swapped_leaf_refuses() -> None:
    p, q = (torch.nn.Parameter(torch.ones(n)) for n in (2, 3))
    loss = (p * 2).sum()
    swap_tensors(p, q)
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        loss.backward()
    p.sum().backward()
    assert p.grad.tolist() == [1.0] * 3


def test_what_others_refer_to_is_not_swapped() -> None:
    x, y = torch.ones(4), torch.ones(1)
    seen = weakref.ref(y)
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it has weakref associated with it"):
        swap_tensors(x, y)
    assert seen() is y
    view = x.view(2, 2)
    with pytest.raises(RuntimeError, match="Expected use_count of t1 to be 1 or 2 .* but got 2"):
        swap_tensors(x, torch.ones(1))
    assert view.shape == (2, 2)
    with pytest.raises(AttributeError, match="'int' object has no attribute '_use_count'"):
        swap_tensors(torch.ones(1), 3)


def test_a_tensor_with_itself() -> None:
    x = torch.ones(2)
    swap_tensors(x, x)
    assert x.tolist() == [1.0, 1.0]
