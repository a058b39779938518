"""State dicts: names, prefixes, strict and lax loading, error texts, extra state."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from . import attempt

T = Any


def _net(torch: T) -> Any:
    nn = torch.nn
    return nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))


def names_and_metadata(torch: T) -> None:
    net = _net(torch)
    state = net.state_dict()
    print(type(state).__name__, list(state), state._metadata)
    print(list(net.state_dict(prefix="p.")), net.state_dict(prefix="p.")._metadata)
    print(state["0.weight"].requires_grad, net.state_dict(keep_vars=True)["0.weight"] is net[0].weight)
    print(state["0.weight"].data_ptr() == net[0].weight.data_ptr())
    mine: dict[str, Any] = {}
    print(net.state_dict(destination=mine) is mine, list(mine))
    print(list(net.state_dict(OrderedDict(), "q.", True)))


def strict_loading(torch: T) -> None:
    net = _net(torch)
    good = net.state_dict()
    print(net.load_state_dict(good))
    attempt(lambda: net.load_state_dict({}))
    attempt(lambda: net.load_state_dict({**good, "extra": torch.ones(1), "0.more.deep": torch.ones(1)}))
    attempt(lambda: net.load_state_dict({**good, "0.weight": torch.ones(3, 3), "0.bias": torch.ones(2)}))
    attempt(lambda: net.load_state_dict({**good, "0.weight": [1, 2]}))
    attempt(lambda: net.load_state_dict({**good, "0.bias": None}))
    attempt(lambda: net.load_state_dict([1]))
    attempt(lambda: net.load_state_dict(OrderedDict(list(good.items())[:2])))


def lax_loading(torch: T) -> None:
    net = _net(torch)
    keys = net.load_state_dict({"0.bias": torch.ones(1), "what": 1}, strict=False)
    print(keys, keys.missing_keys, keys.unexpected_keys, net[0].bias)
    attempt(lambda: net.load_state_dict({"0.bias": torch.ones(9)}, strict=False))
    missing, unexpected = net.load_state_dict({}, strict=False)
    print(missing, unexpected)


def what_is_copied(torch: T) -> None:
    layer = torch.nn.Linear(1, 1)
    own = layer.weight
    layer.load_state_dict({"weight": torch.ones(1, 1, dtype=torch.float64), "bias": torch.zeros(1)})
    print(layer.weight is own, layer.weight, layer.weight._version)
    scalar = torch.nn.Module()
    scalar.p = torch.nn.Parameter(torch.zeros(()))
    print(scalar.load_state_dict({"p": torch.ones(1)}), scalar.p)


def assigned(torch: T) -> None:
    nn = torch.nn
    layer = nn.Linear(1, 1)
    layer.bias.requires_grad_(False)
    given = {"weight": torch.ones(1, 1, dtype=torch.float64), "bias": nn.Parameter(torch.zeros(1))}
    print(layer.load_state_dict(given, assign=True), layer.weight, layer.bias, layer.bias is given["bias"])
    norm = nn.BatchNorm1d(1)
    other = nn.BatchNorm1d(1).state_dict()
    norm.load_state_dict(other, assign=True)
    print(norm.running_mean is other["running_mean"], norm.weight.requires_grad)
    attempt(lambda: layer.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(1)}, assign=True))


def copying_fails(torch: T) -> None:
    layer = torch.nn.Linear(2, 1)
    layer.weight.data = torch.ones(1, 1).expand(1, 2)
    attempt(lambda: layer.load_state_dict({"weight": torch.tensor([[1.0, 2.0]]), "bias": torch.zeros(1)}))


def extra_state(torch: T) -> None:
    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = 3

        def get_extra_state(self) -> Any:
            return {"count": self.count}

        def set_extra_state(self, state: Any) -> None:
            self.count = state["count"]

    net = torch.nn.Sequential(Counting())
    print(net.state_dict())
    net.load_state_dict({"0._extra_state": {"count": 8}})
    print(net[0].count)
    attempt(lambda: net.load_state_dict({}))
    attempt(lambda: torch.nn.Sequential(torch.nn.ReLU()).load_state_dict(net.state_dict()))


def old_versions(torch: T) -> None:
    norm = torch.nn.BatchNorm1d(2)
    state = {k: v for k, v in norm.state_dict().items() if k != "num_batches_tracked"}
    print(norm.load_state_dict(state), norm.num_batches_tracked)
    attempt(lambda: torch.nn.InstanceNorm1d(2).load_state_dict({"running_mean": torch.ones(2)}))


def non_persistent(torch: T) -> None:
    m = torch.nn.Module()
    m.register_buffer("a", torch.ones(1))
    m.register_buffer("b", torch.ones(1), persistent=False)
    print(m.state_dict())
    attempt(lambda: m.load_state_dict({"a": torch.zeros(1), "b": torch.zeros(1)}))
    m.b = torch.zeros(2)
    print(list(m.state_dict()))
    m.register_buffer("b", torch.ones(1))
    print(list(m.state_dict()))


def own_loading(torch: T) -> None:
    class Own(torch.nn.Linear):
        def _load_from_state_dict(self, state: Any, prefix: str, meta: Any, *rest: Any) -> None:
            print(prefix, meta, rest)
            state[prefix + "weight"] = state.pop(prefix + "w")
            super()._load_from_state_dict(state, prefix, meta, *rest)

        def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "w"] = destination.pop(prefix + "weight")

    net = torch.nn.Sequential(Own(1, 1))
    print(list(net.state_dict()), net.load_state_dict(net.state_dict()))
