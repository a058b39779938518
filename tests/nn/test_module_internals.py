"""What libraries lean on inside modules. What is expected is what torch gave."""

from __future__ import annotations

import copy
import operator
from typing import Any

import pytest

import pullback as torch


def test_flat_weights_can_be_put() -> None:
    layer = torch.nn.GRU(2, 3)
    x = torch.ones(1, 1, 2)
    before = layer(x)[0]
    layer._flat_weights = [w * 0 for w in layer._flat_weights]
    assert layer(x)[0].tolist() == [[[0.0, 0.0, 0.0]]]
    layer._init_flat_weights()
    assert torch.equal(layer(x)[0], before)


def test_flat_weights_follow_the_parameters() -> None:
    layer = torch.nn.LSTM(2, 3)
    layer._flat_weights = [w.detach().clone() for w in layer._flat_weights]
    assert layer._flat_weights[0] is not layer.weight_ih_l0
    layer.weight_ih_l0 = torch.nn.Parameter(torch.zeros(12, 2))
    assert layer._flat_weights[0] is layer.weight_ih_l0
    layer.double()
    assert all(w is getattr(layer, n) for w, n in zip(layer._flat_weights, layer._flat_weights_names))
    assert copy.deepcopy(layer)._flat_weights[0].dtype is torch.float64


def test_named_members() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(1, 1))
    module.add_module("b", module[0])

    def members(part: Any) -> Any:
        return part._parameters.items()

    def names(*args: Any, **options: Any) -> list[str]:
        return [name for name, _ in module._named_members(members, *args, **options)]

    assert names() == ["0.weight", "0.bias"]
    assert names(remove_duplicate=False) == ["0.weight", "0.bias", "b.weight", "b.bias"]
    assert names(prefix="p", recurse=False) == []
    assert names("q", True, False) == ["q.0.weight", "q.0.bias", "q.b.weight", "q.b.bias"]


@pytest.mark.parametrize("base", ["Conv2d", "ReLU", "MaxPool1d", "ZeroPad2d", "modules.loss._Loss"])
def test_subclasses_of_layers_are_the_users(base: str) -> None:
    class Told:
        told: Any = None

        def __init_subclass__(cls, told: Any = None) -> None:
            cls.told = told

    kind: Any = operator.attrgetter(base)(torch.nn)

    class Loss3d(kind, Told, told=5):  # type: ignore[misc, call-arg]  # known only at run time
        pass

    assert Loss3d.told == 5
    named = [name for name in ("function", "rank") if hasattr(Loss3d, name) and not hasattr(kind, name)]
    assert not named
