"""Data of another dtype: graphs made from then on leave gradients of that dtype."""

from __future__ import annotations

import pytest

import pullback as torch


@pytest.mark.parametrize("convert", ["data", "module"])
def test_gradients_have_the_dtype_of_the_data_while_an_old_graph_lives(convert):
    layer = torch.nn.Linear(2, 1)
    old = layer(torch.ones(2))
    if convert == "module":
        layer.double()
    else:
        for p in layer.parameters():
            p.data = p.data.double()
    layer(torch.ones(2, dtype=torch.float64)).backward()
    assert layer.weight.grad.dtype is torch.float64
    assert not old.is_leaf


def test_a_graph_from_before_gives_its_covector_the_shape_that_the_data_has_now():
    p = torch.arange(4.0).requires_grad_()
    loss = (torch.ones(3, 4) * p).sum()
    p.data = torch.ones(2, 4)
    loss.backward(retain_graph=True)
    loss.backward()
    assert p.grad.tolist() == [[6.0] * 4] * 2
    p.data, p.grad = torch.ones(2, 3), None
    loss = (torch.ones(3, 4) * (q := torch.ones(4, requires_grad=True))).sum()
    q.data = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="size of tensor a .3. must match the size of tensor b .4."):
        loss.backward()


def test_what_is_held_before_is_noted_once_and_not_where_nothing_changes() -> None:
    x = torch.ones(2)
    first, second = torch.zeros(2), torch.ones(2)
    x.data = x.data
    assert type(x._counter[0]) is int
    for _ in range(5):
        x.data = first
        x.data = second
    assert len(x._counter[0].arrays) == 2
