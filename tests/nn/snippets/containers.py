"""Containers of modules and parameters."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from . import attempt

T = Any


def sequential(torch: T) -> None:
    nn = torch.nn
    s = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
    print(s, s[0], s.a, s[-1], s[:1], len(s), [type(m).__name__ for m in s])
    s[1] = nn.Sigmoid()
    print(s, s.append(nn.ELU()) is s, list(s._modules))
    del s[0]
    print(s, s(torch.zeros(1)))
    print(s.insert(0, nn.GELU()), s.insert(-1, nn.SiLU()), s.extend([nn.Mish()]))
    print(s.pop(1), s.pop(slice(0, 2)), s)
    for bad in (lambda: s[9], lambda: s[-9], lambda: s["a"], lambda: s.insert(9, nn.ReLU())):
        attempt(bad)
    attempt(lambda: s.insert(0, 3))
    attempt(lambda: nn.Sequential(3))
    print(nn.Sequential(), [n for n in dir(nn.Sequential(nn.ReLU())) if n.isdigit()])


def sequential_arithmetic(torch: T) -> None:
    nn = torch.nn
    s = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    print(s + nn.Sequential(nn.Tanh()), s * 2, 2 * s, len(list((s * 3).parameters())))
    t = nn.Sequential(nn.Tanh())
    same = t
    t += s
    t *= 2
    print(t, t is same)
    attempt(lambda: s + 3)
    attempt(lambda: s * 0)
    attempt(lambda: s * 1.5)
    attempt(lambda: t.__iadd__([nn.ReLU()]))


def module_list(torch: T) -> None:
    nn = torch.nn
    layers = nn.ModuleList([nn.Linear(1, 1), nn.ReLU()])
    layers += [nn.ReLU(), nn.Sequential(nn.Tanh())]
    print(layers, layers[1:], layers[-1], layers + [nn.ELU()], nn.ModuleList())
    layers.insert(1, nn.GELU())
    layers[0] = nn.SiLU()
    print(layers, layers.pop(0), layers.append(nn.Mish()), layers.extend(iter([nn.ELU(), nn.ELU()])))
    del layers[1:3]
    del layers[-1]
    print(layers, list(layers._modules))
    for bad in (lambda: layers[9], lambda: layers["0"], lambda: layers.extend(3), lambda: layers.append(3)):
        attempt(bad)
    attempt(lambda: layers(torch.ones(1)))
    print([type(m).__name__ for m in reversed(list(layers))])


def module_dict(torch: T) -> None:
    nn = torch.nn
    d = nn.ModuleDict({"b": nn.ReLU(), "a": nn.Tanh()})
    d["c"] = nn.ELU()
    d.update([("d", nn.GELU())])
    d.update(nn.ModuleDict({"e": nn.SiLU()}))
    print(d, "a" in d, list(d), list(d.keys()), next(iter(d.items())), list(d.values())[1], len(d))
    print(d.pop("a"), d["b"])
    del d["b"]
    for bad in (lambda: d["z"], lambda: d.update(3), lambda: d.update([3]), lambda: d.update([(1, 2, 3)])):
        attempt(bad)
    attempt(lambda: d.__setitem__("x.y", nn.ReLU()))
    attempt(lambda: d.__setitem__("forward", nn.ReLU()))
    attempt(lambda: d.__setitem__("q", 3))
    d.clear()
    print(d)


def parameter_list(torch: T) -> None:
    nn = torch.nn
    p = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(1, 3), "text"])
    p.append(torch.ones((), dtype=torch.int64).double())
    p += [torch.ones(2, dtype=torch.complex64)]
    print(p, p[0], p[-1], p[1:3], len(p), [n for n, _ in p.named_parameters()], list(p.state_dict()))
    p[0] = torch.zeros(1)
    print(p[0], type(p[2]), [type(v).__name__ for v in p])
    for bad in (lambda: p[9], lambda: p(1), lambda: p.extend(3), lambda: p.extend(torch.ones(2))):
        attempt(bad)
    print(nn.ParameterList())


def parameter_dict(torch: T) -> None:
    nn = torch.nn
    d = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(1, 2)), "c": 3})
    print(d, list(d), list(reversed(d)), len(d), "a" in d, d["a"], d.b, [n for n, _ in d.named_parameters()])
    d["x"] = torch.zeros(1)
    d.update([("y", torch.zeros(2))])
    d.update(OrderedDict(z=torch.ones(1), w=torch.ones(1)))
    print(list(d.keys()), next(iter(d.items())), list(d.values())[1])
    print(d.pop("x"), d.popitem(), d.get("no"), d.get("no", 5))
    print(d.setdefault("s", torch.ones(1)), d.setdefault("c"))
    twin = d.copy()
    print(twin, twin["a"] is d["a"], d.fromkeys(["k", "l"], torch.ones(1)))
    print(list(d | nn.ParameterDict({"q": torch.ones(1)})), list(nn.ParameterDict({"q": 1}) | d))
    d |= nn.ParameterDict({"r": torch.ones(1)})
    del d["r"]
    for bad in (lambda: d["no"], lambda: d[3], lambda: d(1), lambda: d.update(3), lambda: d.update([3])):
        attempt(bad)
    attempt(lambda: d.update([(1, 2, 3)]))
    d.clear()
    print(d, len(d))
    attempt(lambda: nn.ParameterDict().popitem())


def nested_and_saved(torch: T) -> None:
    nn = torch.nn
    net = nn.Module()
    net.list = nn.ParameterList([torch.ones(2)])
    net.dict = nn.ParameterDict({"k": torch.zeros(1)})
    net.layers = nn.ModuleDict({"one": nn.Linear(1, 1)})
    print(net, list(net.state_dict()))
    net.load_state_dict({k: v + 1 for k, v in net.state_dict().items()})
    print(net.list[0], net.dict.k)
