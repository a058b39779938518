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
