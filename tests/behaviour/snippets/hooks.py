"""Hooks on tensors, on accumulation and on nodes: their order, their removal, what they change."""

from __future__ import annotations

from functools import partial
from typing import Any

T = Any


def _say(*words: Any) -> None:
    print(*words)


def sees_the_gradient(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: print("y", g))
    x.register_hook(lambda g: print("x", g))
    (y * y).sum().backward()


def replaces_the_gradient(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: g * 10)
    x.sum().backward()
    print(x.grad)


def order_is_that_of_registration(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    (x * 1).backward()
    print(x.grad)


def removed(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    first = x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    first.remove()
    first.remove()
    (x * 1).backward()
    print(x.grad)


def removed_by_with(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    with x.register_hook(lambda g: g * 10):
        (x * 1).backward()
    (x * 1).backward()
    print(x.grad)


def removed_during_backward(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    handles: list[Any] = []

    def once(g: Any) -> None:
        print("once")
        handles[0].remove()

    handles.append(x.register_hook(once))
    (x * 1).backward()
    (x * 1).backward()


def runs_once_for_a_sum_of_paths(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: print("y", g))
    (y * 3 + y * 4).backward()


def leaf_hook_sees_the_new_part_only(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    x.register_hook(lambda g: print("hook", g))
    (x * 2).backward()
    (x * 3).backward()
    print(x.grad)


def with_grad_instead_of_backward(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    x.register_hook(lambda g: g * 10)
    y = x * 2
    y.register_hook(lambda g: g * 100)
    print(torch.autograd.grad(y, x), x.grad)


def not_on_the_path(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    w = torch.tensor(1.0, requires_grad=True)
    x.register_hook(lambda g: print("x"))
    w.register_hook(lambda g: print("w"))
    torch.autograd.grad(x * w, w)


def retain_grad(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.retain_grad()
    print(y.retains_grad, x.retains_grad)
    y.sum().backward(retain_graph=True)
    print(y.grad, x.grad)
    (y + 1).sum().backward()
    print(y.grad, x.grad)


def retain_grad_after_a_hook(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.backward()
    print(y.grad, x.grad)


def retain_grad_before_and_after_in_place(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 3
    y.retain_grad()
    y.mul_(5)
    y.backward()
    print(y.grad, x.grad)


def hook_before_in_place(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: print("before", g))
    y.mul_(5)
    y.register_hook(lambda g: print("after", g))
    y.backward()


def after_accumulation(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    x.register_hook(lambda g: print("hook", g, x.grad))
    x.register_post_accumulate_grad_hook(lambda p: print("after", p.grad, p is x))
    (x * 2).backward()
    (x * 3).backward()


def after_accumulation_frees_the_gradient(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)

    def step(p: Any) -> None:
        with torch.no_grad():
            p -= 0.1 * p.grad
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    for _ in range(3):
        (x * x).backward()
    print(x, x.grad)


def after_accumulation_not_by_grad(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: print("never"))
    print(torch.autograd.grad(x * 2, x))


def on_a_node(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.grad_fn.register_hook(lambda inputs, outputs: print("in", inputs, "out", outputs))
    y.sum().backward()


def on_a_node_changes_its_results(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10, None))
    y.sum().backward()
    print(x.grad)


def before_a_node(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    y.grad_fn.register_prehook(lambda outputs: print("then", outputs))
    y.sum().backward()
    print(x.grad)


def order_of_all_kinds(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    y.grad_fn.register_hook(partial(_say, "node of y, after"))
    y.grad_fn.register_prehook(partial(_say, "node of y, before"))
    y.register_hook(partial(_say, "tensor y"))
    y.retain_grad()
    x.register_hook(partial(_say, "tensor x"))
    x.register_post_accumulate_grad_hook(lambda p: print("accumulated x", p.grad))
    accumulate = y.grad_fn.next_functions[0][0]
    accumulate.register_prehook(partial(_say, "node of x, before"))
    accumulate.register_hook(partial(_say, "node of x, after"))
    y.backward()
    print(y.grad)


def order_of_nodes(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    a = x * 2
    b = x * 3
    c = a + b
    d = c * a
    for name, t in (("a", a), ("b", b), ("c", c), ("d", d)):
        t.register_hook(lambda g, name=name: print(name, g.item()))
    d.backward()


def of_several_tensors_all(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    a, b, c = x * 2, x * 3, x * 4
    handle = torch.autograd.graph.register_multi_grad_hook((a, b, c), lambda gs: print("all", gs))
    (a + b).backward(retain_graph=True)
    handle.remove()
    (a + b).backward()


def of_several_tensors_any(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    a, b = x * 2, x * 3
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda g: print("any", g), mode="any")
    (a * 5 + b * 7).backward()


def that_keeps_the_graph(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda g: print(g.requires_grad, torch.is_grad_enabled()))
    torch.autograd.grad(y * x, x, create_graph=True)
    y = x * x
    y.register_hook(lambda g: print(g.requires_grad, torch.is_grad_enabled()))
    torch.autograd.grad(y * x, x)


def that_runs_backward(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    other = torch.tensor(5.0, requires_grad=True)
    y = x * 3

    def hook(g: Any) -> None:
        print(torch.is_grad_enabled())
        with torch.enable_grad():
            (other * other).backward()

    y.register_hook(hook)
    y.backward()
    print(x.grad, other.grad)


def of_modules(torch: T) -> None:
    layer = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        layer.weight.fill_(2.0)
    layer.register_forward_pre_hook(lambda module, args: print("before", args))
    layer.register_forward_hook(lambda module, args, output: print("after", output))
    layer.register_full_backward_hook(lambda module, inputs, outputs: print("backward", inputs, outputs))
    layer(torch.tensor([[3.0]], requires_grad=True)).sum().backward()


def handles_have_ids(torch: T) -> None:
    x = torch.ones(1, requires_grad=True)
    first = x.register_hook(lambda g: None)
    second = x.register_hook(lambda g: None)
    print(type(first).__name__, second.id > first.id)


def on_a_view_and_its_base(torch: T) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    a = x * 2
    v = a[1:]
    a.register_hook(lambda g: print("a", g))
    v.register_hook(lambda g: print("v", g))
    (v.sum() + a.sum()).backward()


def clipping(torch: T) -> None:
    x = torch.tensor([1.0, 20.0], requires_grad=True)
    x.register_hook(lambda g: g.clamp(-5, 5))
    (x * x).sum().backward()
    print(x.grad)


def gradient_passed_is_not_to_be_changed_but_may_be_replaced(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x + 1
    y.register_hook(lambda g: torch.zeros_like(g))
    z = y * 2
    z.sum().backward()
    print(x.grad)


def undefined_gradients(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = x.unbind()
    a.grad_fn.register_prehook(lambda outputs: print(outputs))
    a.grad_fn.register_hook(lambda inputs, outputs: print(inputs, outputs))
    b.backward()


def _listed(grads: Any) -> list[Any]:
    return [None if g is None else g.tolist() for g in grads]


def any_of_several_runs_in_each_backward(torch: T) -> None:
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    constant = torch.ones(2)
    handle = torch.autograd.graph.register_multi_grad_hook(
        (a, constant, b), lambda g: print("any", g), mode="any"
    )
    for _ in range(2):
        (a * 2 + b * 3).sum().backward()
    torch.autograd.grad((a * b).sum(), b)
    handle.remove()
    (a * b).sum().backward()


def any_of_several_runs_after_an_error(torch: T) -> None:
    def fails(g: Any) -> None:
        print("called")
        raise ValueError("no")

    a = torch.ones(2, requires_grad=True)
    torch.autograd.graph.register_multi_grad_hook((a,), fails, mode="any")
    for _ in range(2):
        try:
            (a * 2).sum().backward()
        except ValueError as error:
            print(error)


def all_of_several_wait_for_those_that_run(torch: T) -> None:
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda gs: print("leaves", _listed(gs)))
    (a * 2 + b * 3).sum().backward(inputs=[a])
    (a * 2 + b * 3).sum().backward(inputs=[a, b])
    (a * 2 + b * 3).sum().backward()
    (a * 2).sum().backward()
    c = a * 2
    torch.autograd.grad((c + b).sum(), c)
    try:
        torch.autograd.grad((a * 2 + b * 3).sum(), [a, b])
    except RuntimeError as error:
        print(error)


def all_of_several_between(torch: T) -> None:
    for inputs in ("a", "b", "c", "d"):
        for selects in (False, True):
            a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
            c = a * 2
            d = c * b
            e = d * 3
            torch.autograd.graph.register_multi_grad_hook((c, d, c), lambda gs: print(_listed(gs)))
            wanted = {"a": a, "b": b, "c": c, "d": d}[inputs]
            print(inputs, selects)
            if selects:
                torch.autograd.grad(e.sum(), wanted)
            else:
                e.sum().backward(inputs=[wanted])


def all_of_several_need_a_graph(torch: T) -> None:
    a = torch.ones(2, requires_grad=True)
    try:
        torch.autograd.graph.register_multi_grad_hook((a, torch.ones(2)), print)
    except AssertionError as error:
        print(error)


def node_hooks_see_what_has_a_derivative(torch: T) -> None:
    weight = torch.ones(3, 2, requires_grad=True)
    rows = torch.nn.functional.embedding(torch.tensor([1, 0]), weight)
    chosen = torch.where(torch.tensor([[True], [False]]), rows, rows * 2)
    taken = chosen.index_select(0, torch.tensor([1, 1]))
    for tensor in (rows, chosen, taken):
        tell = partial(_say, tensor.grad_fn.name())
        tensor.grad_fn.register_hook(lambda given, came, tell=tell: tell(len(given), len(came)))
    rows.grad_fn.register_hook(lambda given, came: (given[0] * 10,))
    taken.sum().backward()
    print(weight.grad)


def retained_of_views(torch: T) -> None:
    def start() -> T:
        x = torch.ones(4, requires_grad=True)
        return x, x * 2

    for write_base in (False, True):
        for through_base in (False, True):
            x, y = start()
            v = y.view(2, 2)
            v.retain_grad()
            (y if write_base else v).mul_(3)
            (y if through_base else v).sum().backward()
            print(write_base, through_base, v.grad, v.retains_grad, x.grad)
    x, y = start()
    v = y[:2]
    v.retain_grad()
    v[:1].mul_(3)
    v.mul_(2)
    v.sum().backward()
    print(v.grad, x.grad)
    x, y = start()
    v, total = y[:2], y[:2].sum()
    y.retain_grad()
    v.register_hook(lambda g: print("called", g))
    v.mul_(3)
    y.sum().backward()
    print(y.grad, x.grad)
    x, y = start()
    v = y[:2]
    v.retain_grad()
    total = v.sum()
    v.mul_(3)
    total.backward()
    print(v.grad, x.grad)


def _error_of(call: Any) -> None:
    try:
        call()
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)


def hooks_of_a_node_give_what_does_not_fit(torch: T) -> None:
    ones = torch.ones(2)
    wrong = (3, ones, [ones], (ones, ones), (torch.ones(3),), (ones.double(),), (3,))
    for register in ("register_hook", "register_prehook"):
        for value in wrong:
            y = torch.ones(2, requires_grad=True).exp()

            def hook(*_: Any, value: Any = value) -> Any:
                return value

            getattr(y.grad_fn, register)(hook)
            _error_of(y.sum().backward)


def classes_of_young_types_in_errors(torch: T) -> None:
    for dtype in (torch.bfloat16, torch.complex64):
        y = torch.ones(2, dtype=dtype, requires_grad=True) * 1
        y.register_hook(lambda g: torch.ones(2))
        _error_of(lambda y=y, dtype=dtype: y.sum().backward(torch.ones((), dtype=dtype)))


def hook_of_a_node_sees_what_arrives(torch: T) -> None:
    def shapes(grads: Any, _: Any) -> None:
        print([None if g is None else (tuple(g.shape), g.dtype) for g in grads])

    x = torch.ones(1, requires_grad=True)
    for y in (
        x + torch.ones(2),
        torch.addmm(torch.ones(3, requires_grad=True), torch.ones(2, 3), torch.ones(3, 3)),
        torch.where(torch.tensor([True, False]), x, torch.ones(1, 2, dtype=torch.float64)),
    ):
        y.grad_fn.register_hook(shapes)
        y.sum().backward()


def hook_of_a_node_cannot_replace_nothing(torch: T) -> None:
    y = torch.ones(1, requires_grad=True) + torch.ones(2)
    y.grad_fn.register_hook(lambda grads, _: (torch.ones(1), torch.ones(2)))
    _error_of(y.sum().backward)


def module_hooks_give_what_does_not_fit(torch: T) -> None:
    layer = torch.nn.Linear(2, 2)
    for register in ("register_full_backward_hook", "register_full_backward_pre_hook"):
        for value in (torch.ones(3), torch.ones(1, 2).double(), 3):
            with getattr(layer, register)(lambda *_, value=value: (value,)):
                _error_of(layer(torch.ones(1, 2, requires_grad=True)).sum().backward)


def inputs_of_backward_retain_from_then_on(torch: T) -> None:
    for retained in (False, True):
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        if retained:
            y.retain_grad()
        (y * 2).sum().backward(inputs=[y], retain_graph=True)
        print(y.grad, y.retains_grad, x.grad)
        y.sum().backward()
        print(y.grad)


def hooks_of_nodes_see_none_where_nobody_asks(torch: T) -> None:
    a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
    for wanted in ([a], [b], [a, b]):
        y = a * b
        y.grad_fn.register_hook(lambda grads, _: print("product", grads))
        print(torch.autograd.grad(y.sum(), wanted))
    z = torch.nn.functional.linear(torch.ones(1, 2), torch.ones(2, 2, requires_grad=True), a.exp())
    z.grad_fn.register_hook(lambda grads, _: print("layer", grads))
    z.sum().backward(inputs=[a])
    print(a.grad)
