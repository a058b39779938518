"""A module's attributes and the tree below it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from . import attempt

T = Any


def _net(torch: T) -> Any:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 1, bias=False)))
    net.add_module("again", net[0])
    return net


def iteration(torch: T) -> None:
    net = _net(torch)
    print([n for n, _ in net.named_modules()], [n for n, _ in net.named_modules(remove_duplicate=False)])
    print([n for n, _ in net.named_modules(prefix="p")], [n for n, _ in net.named_children()])
    print([n for n, _ in net.named_parameters()], [n for n, _ in net.named_parameters("p", recurse=False)])
    print([n for n, _ in net.named_parameters(remove_duplicate=False)], len(list(net.parameters())))
    print([n for n, _ in net.named_buffers("q.")], len(list(net.buffers(recurse=False))))
    print(len(list(net.modules())), len(list(net.modules(remove_duplicate=False))), len(list(net.children())))


def by_name(torch: T) -> None:
    net = _net(torch)
    print(net.get_submodule("2.0"), net.get_submodule("") is net, net.get_parameter("0.bias"))
    print(net.get_buffer("1.running_mean"))
    for bad in ("9", "2.9", "0.weight"):
        attempt(lambda bad=bad: net.get_submodule(bad))
    for bad in ("9.weight", "0.no", "1.running_mean", "2", "forward"):
        attempt(lambda bad=bad: net.get_parameter(bad))
    for bad in ("0.weight", "1.no"):
        attempt(lambda bad=bad: net.get_buffer(bad))


def replace_by_name(torch: T) -> None:
    nn = torch.nn
    net = _net(torch)
    net.set_submodule("2.0", nn.ReLU())
    net.set_submodule("2.new", nn.Tanh())
    net.set_submodule("top", nn.ELU())
    print(net)
    attempt(lambda: net.set_submodule("2.other", nn.ReLU(), strict=True))
    attempt(lambda: net.set_submodule("", nn.ReLU()))
    attempt(lambda: net.set_submodule("0", 3))
    attempt(lambda: net.set_submodule("8.a", nn.ReLU()))
    attempt(lambda: net.set_submodule("0.weight", nn.ReLU()))


def attributes(torch: T) -> None:
    nn = torch.nn
    m = nn.Module()
    m.p = nn.Parameter(torch.ones(1))
    m.register_buffer("b", torch.zeros(1), persistent=False)
    m.register_buffer("n", None)
    m.register_parameter("q", None)
    m.s = nn.ReLU()
    m.f = nn.Buffer(torch.ones(2))
    m.plain = torch.ones(1)
    print(m, m.p, m.b, m.n, m.q, m.f, list(m.state_dict()), m._non_persistent_buffers_set)
    for name, value in (("p", torch.ones(1)), ("s", 3), ("b", 3), ("n", "x"), ("q", 1.0)):
        attempt(lambda name=name, value=value: setattr(m, name, value))
    m.p = None
    m.b = None
    m.s = None
    m.q = nn.Parameter(torch.ones(2))
    m.n = torch.ones(3)
    m.plain = nn.Parameter(torch.zeros(1))
    m.b = torch.ones(4)
    print(m, list(m._parameters), list(m._buffers), list(m._modules), list(m.state_dict()))
    m.f = nn.Linear(1, 1)
    attempt(lambda: setattr(m, "q", nn.ReLU()))
    print(list(m._parameters), list(m._buffers), list(m._modules))
    del m.f, m.n, m.plain
    attempt(lambda: m.f)
    attempt(lambda: delattr(m, "zzz"))
    print("b" in dir(m), [n for n in dir(nn.Sequential(nn.ReLU())) if n == "0"])


def registration_errors(torch: T) -> None:
    nn = torch.nn
    m = nn.Module()
    p = nn.Parameter(torch.ones(1))
    m.taken = 1
    for name in (3, "a.b", "", "taken", "forward"):
        attempt(lambda name=name: m.register_parameter(name, p))
        attempt(lambda name=name: m.register_buffer(name, torch.ones(1)))
        attempt(lambda name=name: m.add_module(name, nn.ReLU()))
    attempt(lambda: m.register_parameter("x", torch.ones(1)))
    attempt(lambda: m.register_parameter("x", 3))
    attempt(lambda: m.register_buffer("x", 3))
    attempt(lambda: m.add_module("x", torch.ones(1)))
    attempt(lambda: m.register_module("x", "y"))
    attempt(lambda: m.register_parameter("x", p * 2))
    attempt(lambda: nn.Module(3))
    attempt(lambda: nn.Module(a=3))
    attempt(lambda: m(1))
    attempt(lambda: m.get_extra_state())


def before_init(torch: T) -> None:
    nn = torch.nn

    class Early(nn.Module):
        def __init__(self, kind: str) -> None:
            if kind == "parameter":
                self.p = nn.Parameter(torch.ones(1))
            elif kind == "module":
                self.m = nn.ReLU()
            elif kind == "buffer":
                self.register_buffer("b", torch.ones(1))
            else:
                self.number = 3
                super().__init__()

    for kind in ("parameter", "module", "buffer", "plain"):
        attempt(lambda kind=kind: Early(kind))


def old_register_buffer(torch: T) -> None:
    nn = torch.nn

    class Old(nn.Module):
        def register_buffer(self, name: str, tensor: Any) -> None:
            super().register_buffer(name, tensor)

    m = Old()
    m.b = nn.Buffer(torch.ones(1))
    print(list(m.state_dict()))
    attempt(lambda: setattr(m, "c", nn.Buffer(torch.ones(1), persistent=False)))


def printing(torch: T) -> None:
    nn = torch.nn

    class Lines(nn.Module):
        def extra_repr(self) -> str:
            return "one=1\n\ntwo=2"

        def _get_name(self) -> str:
            return "Renamed"

    class Blank(nn.Module):
        def __repr__(self) -> str:
            return "Blank(\n\n  x\n)"

    m = Lines()
    print(m)
    m.inner = nn.Sequential(nn.ReLU(), Lines())
    m.blank = Blank()
    m.none = None
    m.register_module("gone", None)
    print(m)


def applied(torch: T) -> None:
    net = _net(torch)
    print(net.apply(lambda m: print(type(m).__name__)) is net)


def modes(torch: T) -> None:
    net = _net(torch)
    print(net.eval() is net, [m.training for m in net.modules()], net.train(True)[2].training)
    attempt(lambda: net.train("yes"))
    print(net.requires_grad_(False) is net, [p.requires_grad for p in net.parameters()])


def gradients(torch: T) -> None:
    layer = torch.nn.Linear(1, 1)
    layer(torch.ones(1, 1)).backward()
    g = layer.weight.grad
    layer.zero_grad(set_to_none=False)
    print(g, layer.weight.grad is g, layer.bias.grad)
    layer.zero_grad()
    print(layer.weight.grad)


def conversions(torch: T) -> None:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    own = net[0].weight
    net[0](torch.ones(1, 1)).backward()
    grad = net[0].weight.grad
    for change in ("double", "half", "bfloat16", "float", "cpu"):
        print(change, getattr(net, change)() is net, [str(v.dtype) for v in net.state_dict().values()])
    print(net.to(torch.float64)[0].weight.dtype, net.to("cpu", torch.float32)[0].weight.dtype)
    print(net.to(torch.ones(1, dtype=torch.float16))[1].running_mean.dtype)
    print(net.to(dtype=torch.float32) is net, net.type(torch.float64)[1].num_batches_tracked.dtype)
    print(net[0].weight is own, own.grad is grad, grad.dtype)
    attempt(lambda: net.to(torch.int32))
    attempt(lambda: net.to("nowhere"))
    attempt(lambda: net.to(torch.float32, copy=True))
    print(net.float().to(torch.complex64)[0].weight.dtype)
    conv = nn.Conv2d(2, 3, 2)
    print(conv.to(memory_format=torch.channels_last).weight.stride(), conv.bias.stride())
    empty = nn.Linear(2, 3).to_empty(device="cpu")
    print(empty, empty.weight.shape, empty.weight.requires_grad, empty.weight.is_leaf)
    print(nn.Linear(1, 1).share_memory().weight.is_shared())


def copies(torch: T) -> None:
    net = _net(torch)
    net[0].weight.grad = torch.ones(3, 2)
    net.note = [1]
    twin = copy.deepcopy(net)
    print(twin.again is twin[0], twin[0].weight is net[0].weight, twin[0].weight.grad, twin.note is net.note)
    shallow = copy.copy(net)
    print(shallow[0] is net[0], shallow._modules is net._modules)
    loaded = pickle.loads(pickle.dumps(net))
    print(loaded, loaded.again is loaded[0], torch.equal(loaded[0].weight, net[0].weight), loaded.note)
    x = torch.ones(4, 2)
    print(torch.equal(loaded[0](x), net[0](x)))


def old_files(torch: T) -> None:
    layer = torch.nn.Linear(1, 1)
    state = dict(layer.__dict__)
    for name in ("_forward_hooks_with_kwargs", "_backward_pre_hooks", "_is_full_backward_hook"):
        del state[name]
    made = torch.nn.Linear.__new__(torch.nn.Linear)
    made.__setstate__(state)
    made.register_forward_hook(lambda m, args, kw, out: print(kw), with_kwargs=True)
    print(made(torch.ones(1)).shape)


def super_init(torch: T) -> None:
    class Mixin:
        def __init__(self, size: int) -> None:
            self.size = size

    class Model(torch.nn.Module, Mixin):
        call_super_init = True

    print(Model(3).size)


def subclassed_convolution(torch: T) -> None:
    nn = torch.nn

    class Standardised(nn.Conv2d):
        def forward(self, x: Any) -> Any:
            return self._conv_forward(x, self.weight - self.weight.mean(), self.bias)

    layer = Standardised(1, 2, 3, padding="same", padding_mode="reflect")
    print(layer(torch.ones(1, 1, 4, 4)).shape, layer._reversed_padding_repeated_twice)

    class Own(nn.modules.conv._ConvNd):
        def __init__(self) -> None:
            pair = nn.modules.utils._pair
            super().__init__(
                2, 4, pair(3), pair(1), pair(0), pair(1), False, pair(0), 2, True, "zeros"
            )

    print(Own(), Own().weight.shape, isinstance(nn.Conv1d(1, 1, 1), nn.modules.conv._ConvNd))
    print(isinstance(nn.BatchNorm2d(1), nn.modules.batchnorm._BatchNorm))
    print(isinstance(nn.ConvTranspose2d(1, 1, 1), nn.modules.conv._ConvTransposeNd))
    print(nn.ConvTranspose2d(1, 1, 2, 2)(torch.ones(1, 1, 2, 2), output_size=[5, 4]).shape)
    attempt(lambda: nn.ConvTranspose2d(1, 1, 2, 2)(torch.ones(1, 1, 2, 2), output_size=[6, 4]))
    attempt(lambda: nn.ConvTranspose2d(1, 1, 2, 2)(torch.ones(1, 1, 2, 2), output_size=[6]))
    utils = nn.modules.utils
    print(utils._pair(3), utils._triple([1, 2, 3]), utils._single("ab"), utils._ntuple(5)(0))
    print(utils._reverse_repeat_tuple((1, 2), 2), utils._list_with_default([None, 3], [4, 5, 6]))
    state = {"module.a": 1, "b": 2, "module.c": 3}
    utils.consume_prefix_in_state_dict_if_present(state, "module.")
    print(state)


def what_is_replaced_keeps_its_place(torch: T) -> None:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(1, 2)
            self.second = nn.Tanh()
            self.p = nn.Parameter(torch.ones(1))
            self.q = nn.Parameter(torch.ones(1))
            self.register_buffer("u", torch.ones(1))
            self.register_buffer("v", torch.ones(1))

    net = Net()
    net.first = nn.Conv1d(1, 2, 3)
    net.p = nn.Parameter(torch.zeros(1))
    net.u = torch.zeros(1)
    print(net, list(net.state_dict()))
    net.second = None
    net.first = nn.ReLU()
    net.second = nn.ELU()
    net.q = None
    net.p = nn.Parameter(torch.zeros(2))
    net.q = nn.Parameter(torch.zeros(3))
    print(nn.Sequential(*net.children()), [p.shape for p in net.parameters()])
    layers = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    layers[0] = nn.Linear(4, 3)
    print(layers, layers(torch.ones(1, 4)).shape)
    listed = nn.ModuleList([nn.ReLU(), nn.ELU()])
    listed[0] = nn.Tanh()
    named = nn.ModuleDict({"x": nn.ReLU(), "y": nn.ELU()})
    named["x"] = nn.Tanh()
    print(listed, named)
