"""Hooks on saved values, checkpoints, and how memory is held."""

from __future__ import annotations

from typing import Any

T = Any


def pack_and_unpack(torch: T) -> None:
    def pack(x: Any) -> Any:
        print("pack", x)
        return x

    def unpack(x: Any) -> Any:
        print("unpack", x)
        return x

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0])
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * w).exp().sum()
    y.backward()
    print(x.grad)


def order_of_unpacking(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    for function in (
        lambda: x * y, lambda: x / y, lambda: x**y, lambda: x @ y, lambda: torch.outer(x, y),
        lambda: torch.atan2(x, y), lambda: torch.nn.functional.prelu(-x, y[:1]),
        lambda: torch.cdist(x[None], y[None]),
    ):  # fmt: skip
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t: print("pack", t.tolist()) or t, lambda t: print("unpack", t.tolist()) or t
        ):
            result = function()
        result.sum().backward()


def what_each_function_saves(torch: T) -> None:
    count: list[tuple[int, ...]] = []
    x = torch.rand(2, 3, requires_grad=True)
    w = torch.rand(3, 2, requires_grad=True)

    def pack(t: Any) -> Any:
        count.append(tuple(t.shape))
        return t

    for name, f in (
        ("add", lambda: x + x),
        ("mul", lambda: x * x),
        ("mul by number", lambda: x * 2),
        ("exp", lambda: x.exp()),
        ("matmul", lambda: x @ w),
        ("sum", lambda: x.sum()),
        ("relu", lambda: x.relu()),
        ("sin", lambda: x.sin()),
        ("div", lambda: x / x),
        ("softmax", lambda: x.softmax(1)),
        ("view", lambda: x.view(6)),
        ("pow", lambda: x**2),
        ("max", lambda: x.max(1)),
        ("cat", lambda: torch.cat([x, x])),
        ("index", lambda: x[:, 0]),
        ("tanh", lambda: x.tanh()),
        ("mean", lambda: x.mean()),
        ("where", lambda: torch.where(x > 0, x, x)),
        ("clamp", lambda: x.clamp(0, 1)),
        ("abs", lambda: x.abs()),
        ("sigmoid", lambda: x.sigmoid()),
        ("log", lambda: x.log()),
        ("neg", lambda: -x),
        ("gather", lambda: x[torch.tensor([0, 1])]),
        ("norm", lambda: x.norm()),
        ("prod", lambda: x.prod()),
    ):
        count.clear()
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            f()
        print(name, count)


def packed_as_something_else(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda values: torch.tensor(values)):
        y = x.exp()
    y.sum().backward()
    print(x.grad)


def inner_hooks_win(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: print("outer"), lambda t: x), hooks(lambda t: print("inner"), lambda t: x):
        x.sin()


def hooks_only_for_what_is_saved(torch: T) -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: print("pack"), lambda t: t):
        torch.ones(2) * 2
        with torch.no_grad():
            torch.ones(2, requires_grad=True).exp()
    print("nothing")


def hooks_on_one_saved_value(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 10, lambda t: t)
    y.backward()
    print(x.grad)


def save_on_cpu(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = (x * x).sum()
    y.backward()
    print(x.grad)


def checkpoint(torch: T) -> None:
    for reentrant in (True, False):
        calls: list[bool] = []

        def function(x: Any, calls: list[bool] = calls) -> Any:
            calls.append(torch.is_grad_enabled())
            return x.sin().exp()

        x = torch.tensor([0.0, 1.0], requires_grad=True)
        y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=reentrant)
        print(y.grad_fn.name(), y)
        y.sum().backward()
        print(calls, x.grad)


def checkpoint_keeps_random_numbers(torch: T) -> None:
    for reentrant in (True, False):
        torch.manual_seed(0)
        x = torch.ones(6, requires_grad=True)
        y = torch.utils.checkpoint.checkpoint(
            lambda x: torch.nn.functional.dropout(x * x, 0.5), x, use_reentrant=reentrant
        )
        y.sum().backward()
        print(y, x.grad)


def checkpoint_of_several(torch: T) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    x, y = torch.utils.checkpoint.checkpoint(lambda a, b: (a * b, a.exp()), a, b, use_reentrant=False)
    (x + y * 0).backward()
    print(a.grad, b.grad)


def checkpoint_nested(torch: T) -> None:
    check = torch.utils.checkpoint.checkpoint
    x = torch.tensor(0.5, requires_grad=True)
    y = check(lambda x: check(lambda x: x.sin(), x, use_reentrant=False).exp(), x, use_reentrant=False)
    y.backward()
    print(y, x.grad)


def checkpoint_sequential(torch: T) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    x = torch.ones(1, 2, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint_sequential(net, 2, x, use_reentrant=False)
    y.sum().backward()
    print(y, x.grad)


def checkpoint_second_derivative(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda x: x**3, x, use_reentrant=False)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    print(g, torch.autograd.grad(g, x))


def graphs_are_freed_with_their_roots(torch: T) -> None:
    import gc
    import weakref

    gc.disable()
    try:
        x = torch.ones(2, requires_grad=True)
        middle = x.exp()
        seen = weakref.ref(middle)
        y = (middle * middle).sum()
        del middle, y
        print(seen() is None)
    finally:
        gc.enable()


def pickle_and_deepcopy(torch: T) -> None:
    import copy
    import pickle

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.sum().backward()
    y = copy.deepcopy(x)
    z = pickle.loads(pickle.dumps(x))
    print(y, y.grad, y is x)
    print(z, z.grad, z.requires_grad)
    w = copy.copy(x)
    w.data[0] = 9
    print(x, w)


def deepcopy_keeps_sharing(torch: T) -> None:
    import copy

    x = torch.zeros(3)
    a, b = copy.deepcopy([x, x[1:]])
    a[1] = 5
    print(a, b)


def hooks_see_the_inputs_themselves(torch: T) -> None:
    weight = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    x = torch.tensor([3.0, 4.0], requires_grad=True) * 2
    kept: list[Any] = []

    def pack(t: Any) -> Any:
        kept.append(t)
        print(type(t).__name__, t.requires_grad, type(t.grad_fn).__name__, t is weight, t is x)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = weight * x
        z = (y.exp() / weight).max()
    z.backward()
    print(weight.grad, len(kept))


def written_to_while_that_is_allowed(torch: T) -> None:
    graph = torch.autograd.graph
    with graph.allow_mutation_on_saved_tensors() as context:
        a = torch.ones(2, 3, requires_grad=True)
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.sum().backward()
        print(a.grad, type(context).__name__)
    with graph.allow_mutation_on_saved_tensors() as context:
        a = torch.ones(2, requires_grad=True)
        b = a * 2
        first = (b * b).sum()
        b[0:1].mul_(5)
        b.add_(1)
        second = (b * b.exp()).sum()
        b.zero_()
        torch.mul(b.detach(), 3, out=b.detach())
        (first + second).backward()
        print(a.grad, b)
        kept = (a * a).sum()
        print(len(context.cloned) > 0)
        context.clear()
        print(len(context.cloned), len(context.original))
    try:
        kept.backward()
    except AssertionError as error:
        print(error)
    try:
        with graph.allow_mutation_on_saved_tensors(), graph.allow_mutation_on_saved_tensors():
            pass
    except RuntimeError as error:
        print(error)
    with graph.allow_mutation_on_saved_tensors():
        a = torch.ones(2, requires_grad=True)
        result = a.exp()
        result.mul_(2)
        result.sum().backward()
        print(a.grad)


def what_a_function_saves_is_at_its_place(torch: T) -> None:
    def pack(tensor: Any) -> Any:
        print(tensor.requires_grad, tensor.grad_fn is None, tensor.is_leaf)
        return tensor

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            out = x * x
            ctx.save_for_backward(x, out)
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * g

    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        Square.apply(x).sum().backward()
        Square.apply(x * 1).sum().backward()
    print(x.grad)


def pack_hooks_run_unrecorded(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)

    def pack(t: Any) -> Any:
        print(torch.is_grad_enabled(), t.requires_grad, (t * 2).requires_grad)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        (x.exp() * x).sum().backward()
    print(x.grad)


def pack_hook_writes_to_a_leaf(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
        try:
            x * x
        except RuntimeError as error:
            print(error)


def unpacked_in_another_shape(torch: T) -> None:
    import numpy as np

    def unlike(packed: Any) -> Any:
        return torch.from_numpy(np.ones((2, 3)) + np.ones(5))

    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3)
    for op in (lambda: x * y, x.exp, lambda: x / y, lambda: x**y, x.sigmoid):
        for unpack in (lambda packed: torch.ones(5), lambda packed: torch.ones(4, 1, 1), unlike):
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
                z = op()
            try:
                z.sum().backward()
            except (RuntimeError, ValueError) as error:
                print(type(error).__name__, error)


def checkpoint_of_inputs_written_to(torch: T) -> None:
    for use_reentrant in (True, False):
        for k in range(2):
            x, y = torch.ones(2, requires_grad=True), torch.tensor([2.0, 3.0])
            z = torch.utils.checkpoint.checkpoint(
                lambda a, b: (a * b).sin(), x, y if k else y[:1], use_reentrant=use_reentrant
            )
            y.add_(1)
            try:
                z.sum().backward()
            except RuntimeError as error:
                print(error)
            else:
                print(x.grad)


def gradient_of_a_view_that_lost_its_history(torch: T) -> None:
    x = torch.ones(2, 2, requires_grad=True) * 1
    part = x.unbind()[0]
    x.mul_(2)
    print(part.grad)
    for ask in (lambda: part.is_leaf, lambda: part.grad_fn):
        try:
            print(ask())
        except RuntimeError as error:
            print(error)
