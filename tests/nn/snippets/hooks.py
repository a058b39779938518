"""Hooks on modules, of every kind."""

from __future__ import annotations

import copy
from typing import Any

from . import attempt

T = Any


def _doubling(torch: T) -> Any:
    """A module whose call can be followed by hand."""

    class Doubling(torch.nn.Module):
        def forward(self, x: Any, y: Any = None, scale: float = 2.0) -> Any:
            return x * scale if y is None else (x * scale, y)

    return Doubling()


def forward_hooks(torch: T) -> None:
    m = _doubling(torch)
    x = torch.ones(2)
    a = m.register_forward_hook(lambda module, args, out: print("a", args, out))
    m.register_forward_hook(lambda module, args, out: out + 1)
    m.register_forward_hook(lambda module, args, kw, out: print("kw", args, kw, out), with_kwargs=True)
    m.register_forward_hook(lambda module, args, out: print("first", out), prepend=True)
    print(m(x, scale=3.0))
    a.remove()
    print(m(x), len(m._forward_hooks), len(m._forward_hooks_with_kwargs))


def forward_pre_hooks(torch: T) -> None:
    m = _doubling(torch)
    x = torch.ones(2)
    m.register_forward_pre_hook(lambda module, args: args[0] + 1)
    m.register_forward_pre_hook(lambda module, args: (args[0] * 10,))
    m.register_forward_pre_hook(lambda module, args, kw: (args, {**kw, "scale": 1.0}), with_kwargs=True)
    first = m.register_forward_pre_hook(lambda module, args: print("first", args), prepend=True)
    print(m(x))
    with first:
        m(x)
    m(x)
    m.register_forward_pre_hook(lambda module, args, kw: 3, with_kwargs=True)
    attempt(lambda: m(x))


def always_called(torch: T) -> None:
    class Failing(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("no")

    m = Failing()
    m.register_forward_hook(lambda module, args, out: print("never"))
    m.register_forward_hook(lambda module, args, out: print("always", args, out), always_call=True)
    m.register_forward_hook(
        lambda module, args, kw, out: print("kw", kw, out), always_call=True, with_kwargs=True
    )

    def worse(module: Any, args: Any, out: Any) -> None:
        raise RuntimeError("worse")

    m.register_forward_hook(worse, always_call=True)
    attempt(lambda: m(1))


def hook_raises(torch: T) -> None:
    m = _doubling(torch)

    def bad(module: Any, args: Any, out: Any) -> None:
        raise RuntimeError("bad")

    m.register_forward_hook(bad)
    m.register_forward_hook(lambda module, args, out: print("always", out), always_call=True)
    attempt(lambda: m(torch.ones(1)))


def full_backward_hooks(torch: T) -> None:
    m = _doubling(torch)
    x = torch.ones(2, requires_grad=True)
    m.register_full_backward_hook(lambda module, gi, go: print("full", gi, go))
    m.register_full_backward_hook(lambda module, gi, go: tuple(g * 5 for g in gi))
    m.register_full_backward_pre_hook(lambda module, go: print("pre", go))
    m.register_full_backward_pre_hook(lambda module, go: (go[0] + 1,), prepend=True)
    y = m(x)
    print(y, type(y.grad_fn).__name__)
    y.sum().backward()
    print(x.grad)


def full_backward_hooks_with_others(torch: T) -> None:
    m = _doubling(torch)
    x = torch.ones(2, requires_grad=True)
    m.register_full_backward_hook(lambda module, gi, go: print(gi, go))
    a, b = m(x, "text", scale=4.0)
    print(b)
    a.sum().backward()
    a, b = m(x, torch.zeros(3))
    (a.sum() + b.sum()).backward()
    print(x.grad, b.requires_grad, a.grad_fn is b.grad_fn)


def full_backward_hook_without_inputs(torch: T) -> None:
    m = torch.nn.Linear(2, 1)
    m.register_full_backward_hook(lambda module, gi, go: print(gi, go))
    m(torch.ones(1, 2)).sum().backward()
    print(m.weight.grad)
    m.register_full_backward_hook(lambda module, gi, go: (gi[0], 1))
    attempt(lambda: m(torch.ones(1, 2)).sum().backward())


def wrong_number_of_covectors(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    m = _doubling(torch)
    m.register_full_backward_hook(lambda module, gi, go: (gi[0], gi[0]))
    attempt(lambda: m(x).sum().backward())
    m = _doubling(torch)
    m.register_full_backward_pre_hook(lambda module, go: (go[0], go[0]))
    attempt(lambda: m(x).sum().backward())


def no_grad_and_structures(torch: T) -> None:
    class Dict(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return {"y": x * 2}

    m = Dict()
    m.register_full_backward_hook(lambda module, gi, go: print("called", gi, go))
    x = torch.ones(2, requires_grad=True)
    m(x)["y"].sum().backward()
    print(x.grad)
    with torch.no_grad():
        print(m(x))


def old_backward_hooks(torch: T) -> None:
    m = torch.nn.Tanh()
    x = torch.zeros(2, requires_grad=True)
    m.register_backward_hook(lambda module, gi, go: print(type(module).__name__, gi, go))
    m.register_backward_hook(lambda module, gi, go: (gi[0] * 3,))
    m(x * 1).sum().backward()
    print(x.grad)
    attempt(lambda: m.register_full_backward_hook(lambda *a: None))
    full = torch.nn.Tanh()
    full.register_full_backward_hook(lambda *a: None)
    attempt(lambda: full.register_backward_hook(lambda *a: None))


def old_backward_hooks_warn(torch: T) -> None:
    class Two(torch.nn.Module):
        def forward(self, x: Any, kind: str = "") -> Any:
            y = x.exp()
            return {"list": [y], "tuple": (y, y.sin()), "chain": y.sin()}.get(kind, y)

    x = torch.zeros(2, requires_grad=True) * 1
    for kind in ("list", "tuple", "chain", ""):
        m = Two()
        m.register_backward_hook(lambda module, gi, go: print(len(gi), len(go)))
        out = m(x, kind) if kind == "list" else m(x) if not kind else m(x, kind=kind)
        (out if kind in ("", "chain") else out[0]).sum().backward(retain_graph=True)


def for_every_module(torch: T) -> None:
    shared = torch.nn.modules.module
    net = torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Sigmoid())
    net[1].register_forward_hook(lambda module, args, out: print("own", type(module).__name__))
    handles = [
        shared.register_module_forward_pre_hook(lambda m, args: print("pre", type(m).__name__, args)),
        shared.register_module_forward_hook(lambda m, args, out: print("post", type(m).__name__, out)),
        shared.register_module_forward_hook(
            lambda m, args, kw, out: print("kw", type(m).__name__, kw), with_kwargs=True, always_call=True
        ),
        shared.register_module_full_backward_pre_hook(lambda m, go: print("back pre", type(m).__name__, go)),
        shared.register_module_full_backward_hook(lambda m, gi, go: print("back", type(m).__name__, gi, go)),
    ]
    x = torch.zeros(1, requires_grad=True)
    net(x).backward()
    for handle in handles:
        handle.remove()
    net(x).backward()
    print(x.grad)
    attempt(lambda: shared.register_module_backward_hook(lambda *a: None))


def registration_hooks(torch: T) -> None:
    shared = torch.nn.modules.module
    nn = torch.nn
    handles = [
        shared.register_module_parameter_registration_hook(
            lambda m, name, p: print("parameter", type(m).__name__, name, tuple(p.shape))
        ),
        shared.register_module_buffer_registration_hook(lambda m, name, b: print("buffer", name, b)),
        shared.register_module_module_registration_hook(
            lambda m, name, s: nn.Identity() if name == "replaced" else print("module", name)
        ),
    ]
    net = nn.Module()
    net.one = nn.BatchNorm1d(2)
    net.replaced = nn.Linear(2, 2)
    net.register_buffer("b", torch.ones(1))
    net.b = torch.zeros(1)
    net.add_module("c", nn.ReLU())
    net.one = None
    for handle in handles:
        handle.remove()
    print(net)
    net.d = nn.Linear(1, 1)


def copies_have_their_own(torch: T) -> None:
    m = torch.nn.Linear(1, 1)
    m.register_forward_hook(_note)
    twin = copy.deepcopy(m)
    m._forward_hooks.clear()
    twin(torch.zeros(1))
    print(len(m._forward_hooks), len(twin._forward_hooks))


def _note(module: Any, args: Any, out: Any) -> None:
    print("called", args)


def hooks_of_state(torch: T) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(1, 1))

    def drop(module: Any, state: Any, prefix: str, meta: Any) -> None:
        print("post", type(module).__name__, sorted(state), repr(prefix), meta)
        state.pop(prefix + "bias", None)

    handle = net[0].register_state_dict_post_hook(drop)
    net.register_state_dict_pre_hook(lambda m, prefix, keep: print("pre", repr(prefix), keep))
    print(sorted(net.state_dict(prefix="net.", keep_vars=True)))
    handle.remove()
    net._register_state_dict_hook(lambda m, state, prefix, meta: {"all": 1})
    print(net.state_dict())
    attempt(lambda: net._register_state_dict_hook(drop))
    net[0].register_state_dict_post_hook(lambda m, state, prefix, meta: {})
    attempt(lambda: net.state_dict())


def hooks_of_loading(torch: T) -> None:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(1, 1))

    def rename(module: Any, state: Any, prefix: str, *rest: Any) -> None:
        print("loading", type(module).__name__, repr(prefix), sorted(state), rest)
        for key in list(state):
            state[key.replace("old", "weight")] = state.pop(key)

    net.register_load_state_dict_pre_hook(rename)
    net._register_load_state_dict_pre_hook(lambda state, prefix, *rest: print("plain", sorted(state)))
    net[0].register_load_state_dict_post_hook(lambda m, keys: print("loaded", type(m).__name__, keys))
    net.load_state_dict({"0.old": torch.ones(1, 1), "0.bias": torch.zeros(1)})
    print(net[0].weight)
    twin = copy.deepcopy(net)
    twin.load_state_dict({"0.old": torch.ones(1, 1) * 2, "0.bias": torch.zeros(1)})
    print(net[0].weight, twin[0].weight)

    def forgive(module: Any, keys: Any) -> None:
        keys.missing_keys.clear()

    net.register_load_state_dict_post_hook(forgive)
    print(net.load_state_dict({}))
    net.register_load_state_dict_post_hook(lambda m, keys: keys)
    attempt(lambda: net.load_state_dict({}))


def handles_are_copied(torch: T) -> None:
    m = torch.nn.ReLU()
    m.handle = m.register_forward_hook(_note)
    twin = copy.deepcopy(m)
    twin.handle.remove()
    print(len(m._forward_hooks), len(twin._forward_hooks))
    twin.register_forward_hook(_note)
    print(len(twin._forward_hooks))
