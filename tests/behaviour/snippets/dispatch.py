"""Ops by overload, classes and modes with `__torch_dispatch__`, selective checkpoints."""

from __future__ import annotations

import functools
from typing import Any


def _modes(torch: Any) -> Any:
    return __import__(f"{torch.__name__}.utils._python_dispatch", fromlist=["TorchDispatchMode"])


def _tree_map(torch: Any) -> Any:
    return torch.utils._pytree.tree_map


def _say(call: Any) -> None:
    try:
        print(call())
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        print(type(error).__name__, error)


def names(torch: Any) -> None:
    aten = torch.ops.aten
    print(repr(aten.add), repr(aten.add.Tensor), aten.add.Tensor, aten.mm.default.name())
    print(aten.add.overloads(), list(aten.mm), aten.add.Tensor is aten.add.Tensor)
    print(aten.add.Tensor._schema, aten.mm.default._schema.arguments[1].name, aten.view.default.is_view)
    print(aten.add.Tensor.overloadpacket is aten.add, aten.add.Tensor.namespace, aten.add.Tensor.__name__)
    print(type(aten.add).__name__, type(aten.add.Tensor).__module__, aten.add_.Tensor._schema.is_mutable)
    for call in (lambda: aten.nope, lambda: aten.add.Nope):
        _say(call)


def calls(torch: Any) -> None:
    aten, x = torch.ops.aten, torch.arange(6.0).reshape(2, 3)
    whole = torch.arange(5)
    for call in (
        lambda: aten.add.Tensor(x, x, alpha=2), lambda: aten.add.Scalar(x, 3), lambda: aten.mul.Tensor(x, 2),
        lambda: aten.sum.dim_IntList(x, [1]), lambda: aten.sum.default(x), lambda: aten.relu(x),
        lambda: aten._softmax.default(x, 0, False), lambda: aten._to_copy.default(x, dtype=torch.float64),
        lambda: aten.native_layer_norm.default(x, [3], None, None, 1e-5), lambda: aten.max.dim(x, 0),
        lambda: aten.view.default(x, [3, 2]), lambda: aten.slice.Tensor(whole, 0, 1, 3),
        lambda: aten.index.Tensor(whole, [torch.tensor([1])]), lambda: aten.softmax.int(x, 0),
        lambda: aten.cat.default([x, x]), lambda: aten.split.Tensor(whole, 2), lambda: aten.ones.default([2]),
        lambda: aten.scalar_tensor.default(3.0), lambda: aten.sym_size.int(x, 1),
        lambda: aten.threshold_backward.default(x, x - 2, 0), lambda: aten.pow.Tensor_Scalar(x, 2),
        lambda: aten.nll_loss_forward.default(x, torch.tensor([0, 1]), None, 1, -100),
        lambda: aten.mm.default(x), lambda: aten.mm.default(x, x, x), lambda: aten.mm.default(x, "a"),
        lambda: aten.mm(x), lambda: aten.add.Scalar(x, "b"), lambda: aten.mm.default(self=x, mat2=x.t()),
    ):  # fmt: skip
        _say(call)


def wrapper(torch: Any) -> None:
    tree_map = _tree_map(torch)

    class Logging(torch.Tensor):
        def __new__(cls, elem: Any, requires_grad: bool = False) -> Any:
            made = torch.Tensor._make_wrapper_subclass(
                cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, requires_grad=requires_grad
            )
            made.elem = elem
            return made

        def __repr__(self) -> str:
            return f"Logging({self.elem})"

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if logging and "detach" not in str(func):
                print(" ", func, kwargs)
            bare = tree_map(lambda v: v.elem if isinstance(v, cls) else v, (args, kwargs or {}))
            found = func(*bare[0], **bare[1])
            return tree_map(lambda v: cls(v) if isinstance(v, torch.Tensor) else v, found)

    logging = True
    x = Logging(torch.arange(6.0).view(2, 3), requires_grad=True)
    w = Logging(torch.ones(4, 3), requires_grad=True)
    y = torch.nn.functional.linear(x, w).relu()
    print(type(y).__name__, y.shape, y.requires_grad, y.grad_fn.name(), y.stride(), y.device)
    z = y.sum()
    logging = False
    z.backward()
    print(type(x.grad).__name__, x.grad, w.grad)
    logging = True
    print(x + 1, 2 * x, x[0], x.t().shape, x.view(3, 2), x.mean(), x.max(0))
    print(torch.cat([x, x]).shape, x.detach().requires_grad, type(x.detach()).__name__)
    print(x.exp().grad_fn.name(), x.stride(), x.is_leaf, x.numel(), x.dtype)
    for call in (lambda: torch.Tensor._make_wrapper_subclass(torch.Tensor, (2,)),
                 lambda: torch.Tensor._make_wrapper_subclass(int, (2,))):  # fmt: skip
        _say(call)


def quantized(torch: Any) -> None:
    tree_map = _tree_map(torch)

    class Quantized(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, data: Any, scale: float) -> Any:
            return torch.Tensor._make_wrapper_subclass(cls, data.shape, dtype=torch.float32)

        def __init__(self, data: Any, scale: float) -> None:
            self.whole, self.scale = data, scale

        def __repr__(self) -> str:
            return f"Quantized({self.whole.tolist()}, {self.scale})"

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func in (torch.ops.aten.detach.default, torch.ops.aten.t.default):
                return cls(func(args[0].whole), args[0].scale)
            bare = tree_map(lambda v: v.whole.float() * v.scale if isinstance(v, cls) else v, args)
            return func(*bare, **(kwargs or {}))

    layer = torch.nn.Linear(3, 2, bias=False)
    weight = Quantized(torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int8), 0.5)
    layer.weight = torch.nn.Parameter(weight, requires_grad=False)
    x = torch.ones(2, 3, requires_grad=True)
    out = layer(x)
    print(type(layer.weight).__name__, layer.weight, type(out).__name__, out)
    out.sum().backward()
    print(x.grad)


def modes(torch: Any) -> None:
    class Log(_modes(torch).TorchDispatchMode):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if "detach" not in str(func):
                print(self.name, func)
            return func(*args, **(kwargs or {}))

    class Minus(_modes(torch).TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            aten = torch.ops.aten
            return (aten.sub.Tensor if func is aten.add.Tensor else func)(*args, **(kwargs or {}))

    x, y = torch.ones(3, 3), torch.ones(3, 3, requires_grad=True)
    with Log("outer"), Log("inner"):
        z = (x @ y).sigmoid().sum()
    z.backward()
    print(z.requires_grad, y.grad)
    with Minus():
        print(x + x)
    f = torch.nn.functional
    first = torch.zeros(1, dtype=torch.long)
    with Log(""):
        f.linear(x, y, x[0]), f.linear(x[None], y), x.sum(0), x.var(0), x.softmax(0), f.gelu(x), x.double()
        x.reshape(9), x[first], torch.stack([x, x]), f.layer_norm(x, (3,)), 1 - x
        x > 0, torch.where(x > 0, x, x), x**2, 2**x, x / 2, x.t().contiguous(), x.transpose(0, 1), x.amax(0)
        f.mse_loss(x, x), f.conv1d(x[None], x[None]), x.max(0), x.cumsum(0), x.masked_fill(x > 0, 1.0)


def selective_checkpoint(torch: Any) -> None:
    aten, tools = torch.ops.aten, torch.utils.checkpoint
    make = tools.create_selective_checkpoint_contexts
    x, y = (torch.arange(16.0).reshape(4, 4) / 16).requires_grad_(), torch.eye(4).requires_grad_()
    asked = []

    def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append((str(op), ctx.is_recompute))
        save = op is aten.mm.default
        return tools.CheckpointPolicy.MUST_SAVE if save else tools.CheckpointPolicy.PREFER_RECOMPUTE

    def function(x: Any, y: Any) -> Any:
        return torch.sigmoid(torch.matmul(torch.matmul(x, y), y)) * y

    for given in (policy, [aten.mm.default], lambda *_, **__: True, lambda *_, **__: False):
        x.grad = y.grad = None
        contexts = functools.partial(make, given)
        out = tools.checkpoint(function, x, y, use_reentrant=False, context_fn=contexts)
        out.sum().backward()
        print(x.grad.sum(), y.grad.sum())
    print([item for item in asked if "detach" not in item[0]], list(tools.CheckpointPolicy))
    for wrong in ([aten.mm], 3, ["mm"]):
        _say(lambda wrong=wrong: make(wrong))
    again = functools.partial(make, policy)
    out = tools.checkpoint(function, x, y, use_reentrant=False, context_fn=again)
    out.sum().backward(retain_graph=True)
    _say(lambda: out.sum().backward())
