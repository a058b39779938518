"""Layers that read their sizes from the first input."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from . import attempt

T = Any


def uninitialized(torch: T) -> None:
    p = torch.nn.parameter.UninitializedParameter()
    print(p, p.dtype, p.device, p.requires_grad, type(p.data), copy.deepcopy(p))
    attempt(lambda: p.shape)
    attempt(lambda: p.share_memory_())
    print(p.size(), p.half().dtype, type(p.double()))
    p.data = p.data.double()
    p.materialize((2, 3))
    print(type(p), p.shape, p.dtype, p.requires_grad, p.is_leaf)
    b = torch.nn.parameter.UninitializedBuffer()
    print(b, isinstance(b, torch.nn.Buffer))
    b.materialize((2,))
    print(type(b), b.shape, isinstance(b, torch.nn.Buffer), torch.nn.parameter.is_lazy(b))


def uninitialized_refuses(torch: T) -> None:
    p = torch.nn.parameter.UninitializedParameter()
    for function in (lambda: p + 1, lambda: torch.sum(p), lambda: p.detach()):
        try:
            function()
        except ValueError as error:
            print(str(error).split("<")[0], str(error).split(">", 1)[1])


def linear(torch: T) -> None:
    layer = torch.nn.LazyLinear(3)
    print(layer, type(layer), layer.weight, layer.has_uninitialized_params(), layer.in_features)
    print(layer.state_dict())
    out = layer(torch.ones(2, 4))
    print(out, layer, type(layer), layer.weight)
    print(sorted(k for k in vars(layer) if "hook" in k and vars(layer)[k]))


def convolutions(torch: T) -> None:
    nn = torch.nn
    for n in (1, 2, 3):
        layer = getattr(nn, f"LazyConv{n}d")(4, 3, groups=2, padding="same")
        print(layer, layer(torch.ones(2, 6, *[5] * n)).sum(), layer)
        layer = getattr(nn, f"LazyConvTranspose{n}d")(4, 2, bias=False)
        print(layer, layer(torch.ones(6, *[5] * n)).sum(), layer)
        attempt(lambda n=n: getattr(nn, f"LazyConv{n}d")(4, 2)(torch.ones(3)))
    attempt(lambda: nn.LazyConv2d(4, 2, groups=2)(torch.ones(1, 3, 4, 4)))


def norms(torch: T) -> None:
    nn = torch.nn
    for n in (1, 2, 3):
        layer = getattr(nn, f"LazyBatchNorm{n}d")(momentum=None)
        print(layer, layer.running_mean, layer(torch.rand(2, 3, *[4] * n)).std(), layer, layer.running_mean)
        layer = getattr(nn, f"LazyInstanceNorm{n}d")(affine=True, track_running_stats=True, bias=False)
        print(layer, layer(torch.rand(2, 3, *[4] * n)).std(), layer, layer.running_var)


def state_between_lazy_and_ready(torch: T) -> None:
    nn = torch.nn
    ready, lazy, again = nn.Linear(2, 3), nn.LazyLinear(3), nn.LazyLinear(3)
    print(lazy.load_state_dict(ready.state_dict()), lazy.weight.shape, (lazy.weight == ready.weight).all())
    print(type(lazy), lazy(torch.ones(2)), type(lazy))
    attempt(lambda: ready.load_state_dict(again.state_dict()))
    print(again.load_state_dict(nn.LazyLinear(3).state_dict()), again.weight)


def conversions(torch: T) -> None:
    layer = torch.nn.LazyLinear(3).double()
    print(layer.weight, layer.weight.dtype, layer.bias.dtype)
    print(layer(torch.ones(2, dtype=torch.float64)).dtype, layer.weight.dtype)


def in_sequential_and_optimizer(torch: T) -> None:
    nn = torch.nn
    net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
    net(torch.ones(3, 5))
    print(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(3, 5)).sum().backward()
    optimizer.step()
    print(net[0].weight, net[2].bias)


def own_lazy_layer(torch: T) -> None:
    nn = torch.nn

    class Scale(nn.modules.lazy.LazyModuleMixin, nn.Module):
        cls_to_become = None

        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.UninitializedParameter()

        def initialize_parameters(self, x: Any) -> None:
            self.weight.materialize(x.shape[-1:])
            with torch.no_grad():
                self.weight.fill_(2)

        def forward(self, x: Any) -> Any:
            return x * self.weight

    layer = Scale()
    print(layer(torch.arange(3.0)), type(layer).__name__)

    class Forgetful(Scale):
        def initialize_parameters(self, x: Any) -> None:
            pass

    attempt(lambda: Forgetful()(torch.ones(2)))

    class Missing(nn.modules.lazy.LazyModuleMixin, nn.Module):
        pass

    attempt(lambda: Missing()(torch.ones(2)))


def sync_batch_norm(torch: T) -> None:
    nn = torch.nn
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Sequential(nn.BatchNorm2d(3, affine=False)))
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    print(converted, converted is net, net[1].process_group)
    print(net[1](torch.tensor([[1.0, 2.0], [3.0, 5.0]])), net[1].running_mean, net[1].num_batches_tracked)
    print(nn.SyncBatchNorm(2).eval()(torch.ones(2, 2, 1, 1, 1)))
    attempt(lambda: nn.SyncBatchNorm(2)(torch.ones(3)))
    attempt(lambda: nn.SyncBatchNorm(2)(torch.ones(3, 0)))
    print(nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(4, bias=False).eval()).training)


def cross_map_lrn(torch: T) -> None:
    nn = torch.nn
    torch.manual_seed(1)
    for size in (2, 3, 5):
        layer = nn.CrossMapLRN2d(size, 0.5, 0.7, 1.5)
        x = torch.randn(2, 6, 2, 2, dtype=torch.float64, requires_grad=True)
        y = layer(x)
        y.pow(2).sum().backward()
        print(layer, y[0], x.grad[1])
    attempt(lambda: layer(torch.ones(2)))


def container(torch: T) -> None:
    print(torch.nn.Container(a=torch.nn.ReLU(), b=torch.nn.Tanh()))


def copies_begin_by_themselves(torch: T) -> None:
    layer = torch.nn.LazyLinear(2)
    twin = copy.deepcopy(layer)
    twin(torch.ones(3))
    print(layer, twin, len(layer._forward_pre_hooks), len(twin._forward_pre_hooks))
    layer(torch.ones(5))
    print(layer, len(layer._forward_pre_hooks), len(layer._load_state_dict_pre_hooks))
    loaded = pickle.loads(pickle.dumps(torch.nn.LazyConv1d(2, 1)))
    print(loaded, loaded(torch.ones(3, 4)).shape, loaded)
