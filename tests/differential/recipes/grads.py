"""Autograd in the middle of a program: hooks, retain_grad, backward, grad, requires_grad_."""

from __future__ import annotations

from typing import Any

from ..builder import SMOOTH, Builder, Code, Ref, call, some
from . import Drawn, recipe

#: What a hook may do with a gradient. `log` keeps what it saw.
HOOKS = (
    "lambda g: log.append(g)",
    "lambda g: g * 2",
    "lambda g: log.append(g)",
    "lambda g: log.append(g.clone())",
    "lambda g: None",
    "lambda g: -g",
    "lambda g: g + 1",
    "lambda g: g.detach()",
    "lambda g: torch.zeros_like(g)",
)


def differentiable(b: Builder, leaf: bool | None = None) -> Ref | None:
    """A tensor that requires grad."""
    fitting = [ref for ref in b.requiring(leaf) if b.good(ref)]
    return b.rng.choices(fitting, [1 + k for k in range(len(fitting))])[0] if fitting else None


def hookable(b: Builder) -> Ref | None:
    """A tensor to put a hook on; no view, as torch 2.13 can crash when one with hooks gets a new history."""
    fitting = [ref for ref in b.requiring() if not b.value(ref)._is_view()]
    return b.one(fitting) if fitting else None


@recipe(4)
def hook(b: Builder) -> Drawn:
    x = hookable(b)
    return None if x is None else call(".register_hook", x, Code(b.one(HOOKS)))


@recipe(0.7)
def removed_hook(b: Builder) -> Drawn:
    x = hookable(b)
    if x is None:
        return None
    handle = b.next()
    return [call(".register_hook", x, Code(b.one(HOOKS))), call(".remove", handle)]


@recipe(1)
def hook_after_accumulation(b: Builder) -> Drawn:
    x = differentiable(b, leaf=True)
    if x is None:
        return None
    source = b.one(("lambda p: log.append(p.grad.clone())", "lambda p: log.append(p._version)"))
    return call(".register_post_accumulate_grad_hook", x, Code(source))


@recipe(1)
def hook_on_node(b: Builder) -> Drawn:
    x = differentiable(b, leaf=False)
    if x is None:
        return None
    node = b.next()
    source = b.one(
        ("lambda gi, go: log.append(list(go))", "lambda gi, go: None", "lambda gi, go: log.append(len(gi))")
    )
    return [call("getattr", x, "grad_fn"), call(".register_hook", node, Code(source))]


@recipe(3)
def retain(b: Builder) -> Drawn:
    x = differentiable(b, leaf=False)
    return None if x is None else call(".retain_grad", x)


@recipe(2)
def require(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, where=lambda t: t.is_leaf)
    return call(".requires_grad_", x, *((b.chance(0.7),) if b.chance(0.5) else ()))


def covectors(b: Builder, outputs: list[Ref]) -> list[Any]:
    return [b.covector(b.value(ref)) for ref in outputs]


@recipe(4)
def backward(b: Builder) -> Drawn:
    x = differentiable(b)
    if x is None:
        return None
    kwargs: dict[str, Any] = some(b, {"retain_graph": lambda: b.chance(0.9)}, 0.8)
    kwargs |= some(b, {"create_graph": lambda: True}, 0.1)
    if b.chance(0.1) and (among := b.requiring(leaf=True)):
        kwargs["inputs"] = [b.one(among)]
    if b.value(x).numel() == 1 and b.value(x).is_floating_point() and b.chance(0.5):
        return call(".backward", x, **kwargs)
    return call(".backward", x, b.covector(b.value(x)), **kwargs)


@recipe(3)
def grad(b: Builder) -> Drawn:
    x = differentiable(b, leaf=False)
    if x is None:
        return None
    inputs = [ref for ref in b.requiring() if b.chance(0.6)] or [x]
    kwargs: dict[str, Any] = {"allow_unused": True} if b.chance(0.9) else {}
    kwargs |= {"retain_graph": True} if b.chance(0.7) else {}
    kwargs |= some(b, {"create_graph": lambda: True}, 0.3) | some(b, {"materialize_grads": lambda: True}, 0.1)
    return call("torch.autograd.grad", [x], inputs[:4], covectors(b, [x]), **kwargs)


@recipe(1)
def without_grad(b: Builder) -> Drawn:
    """An ordinary function in another mode."""
    x = b.pick(SMOOTH)
    mode = b.one(("no_grad", "no_grad", "enable_grad", "inference_mode"))
    match b.one(("mul", "view", "clone", "getitem")):
        case "mul":
            return call("mul", x, 2, within=mode)
        case "view":
            return call(".view", x, -1, within=mode) if b.value(x).is_contiguous() else None
        case "getitem":
            return call("getitem", x, Ellipsis, within=mode)
    return call(".clone", x, within=mode)


@recipe(0.7)
def clear(b: Builder) -> Drawn:
    x = differentiable(b, leaf=True)
    return None if x is None else call("setattr", x, "grad", None)


@recipe(0.7)
def detach_in_place(b: Builder) -> Drawn:
    x = differentiable(b)
    return None if x is None else call(".detach_", x)


@recipe(0.7)
def next_functions(b: Builder) -> Drawn:
    x = differentiable(b, leaf=False)
    if x is None:
        return None
    node = b.next()
    return [
        call("getattr", x, "grad_fn"),
        call(".name", node),
        call("getattr", node, "next_functions"),
    ]
