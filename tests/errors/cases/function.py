"""`torch.autograd.Function`, written wrongly."""

from __future__ import annotations

from typing import Any

T = Any


def _make(torch: T, forward: Any, backward: Any = None, **more: Any) -> Any:
    """A Function of the given static methods."""
    methods = {
        "forward": staticmethod(forward),
        **{name: staticmethod(value) for name, value in more.items()},
    }
    if backward is not None:
        methods["backward"] = staticmethod(backward)
    return type("Custom", (torch.autograd.Function,), methods)


def no_backward(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2)
    function.apply(torch.ones(2, requires_grad=True)).sum().backward()


def no_forward(torch: T) -> None:
    class Custom(torch.autograd.Function):
        pass

    Custom.apply(torch.ones(2))


def called_as_an_instance(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g)
    function()(torch.ones(2, requires_grad=True))


def made_as_an_instance(torch: T) -> None:
    _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g)()


def too_few_gradients(torch: T) -> None:
    function = _make(torch, lambda ctx, x, y: x * y, lambda ctx, g: g)
    x = torch.ones(2, requires_grad=True)
    function.apply(x, x).sum().backward()


def write_to_one_of_several_inputs_that_are_returned(torch: T) -> None:
    function = _make(torch, lambda ctx, x, y: (x, y), lambda ctx, g, h: (g, h))
    function.apply(torch.ones(2, requires_grad=True) * 1, torch.ones(2))[0].add_(1)


def write_to_an_input_that_is_returned_beside_integers(torch: T) -> None:
    function = _make(torch, lambda ctx, x: (x, torch.arange(2)), lambda ctx, g, h: g)
    function.apply(torch.ones(2, requires_grad=True) * 1)[0].add_(1)


def write_to_a_returned_input_that_is_not_differentiable(torch: T) -> None:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.mark_non_differentiable(y)
        return x, y

    function = _make(torch, forward, lambda ctx, g, h: (g, h))
    x = torch.ones(2, requires_grad=True) * 1
    function.apply(x, x * 1)[1].add_(1)


def too_many_gradients(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: (g, g))
    function.apply(torch.ones(2, requires_grad=True)).sum().backward()


def gradient_of_other_shape(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.ones(3))
    function.apply(torch.ones(2, requires_grad=True)).sum().backward()


def gradient_that_is_summed(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.ones(4, 2))
    function.apply(torch.ones(2, requires_grad=True)).sum().backward()


def gradient_of_a_number(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: 2.0)
    function.apply(torch.ones(2, requires_grad=True)).sum().backward()


def gradient_for_what_needs_none(torch: T) -> None:
    function = _make(torch, lambda ctx, x, n: x * n, lambda ctx, g: (g, g))
    function.apply(torch.ones(2, requires_grad=True), 3).sum().backward()


def gradient_is_none(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: None)
    x = torch.ones(2, requires_grad=True)
    torch.autograd.grad(function.apply(x).sum(), x)


def backward_raises(torch: T) -> None:
    def backward(ctx: Any, g: Any) -> Any:
        raise KeyError("from backward")

    _make(torch, lambda ctx, x: x * 2, backward).apply(torch.ones(2, requires_grad=True)).sum().backward()


def forward_raises(torch: T) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        raise KeyError("from forward")

    _make(torch, forward).apply(torch.ones(2, requires_grad=True))


def forward_returns_number(torch: T) -> None:
    _make(torch, lambda ctx, x: 1.0, lambda ctx, g: g).apply(torch.ones(2, requires_grad=True))


def forward_returns_none(torch: T) -> None:
    _make(torch, lambda ctx, x: None, lambda ctx, g: g).apply(torch.ones(2, requires_grad=True))


def saves_a_number(torch: T) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(1.0)
        return x * 2

    _make(torch, forward, lambda ctx, g: g).apply(torch.ones(2, requires_grad=True))


def saved_value_modified(torch: T) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        (_x,) = ctx.saved_tensors
        return g

    x = torch.ones(2, requires_grad=True) * 1
    y = _make(torch, forward, backward).apply(x)
    x.add_(1)
    y.sum().backward()


def saved_value_of_freed_graph(torch: T) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * x

    y = _make(torch, forward, backward).apply(torch.ones(2, requires_grad=True))
    y.sum().backward()
    y.sum().backward()


def dirty_leaf(torch: T) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.add_(1)

    _make(torch, forward, lambda ctx, g: g).apply(torch.ones(2, requires_grad=True))


def dirty_input_not_returned(torch: T) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        x.add_(1)
        return x * 2

    _make(torch, forward, lambda ctx, g: g).apply(torch.ones(2, requires_grad=True) * 1)


def dirty_view(torch: T) -> None:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.mark_dirty(x)
        return x.add_(y), y * 2

    base = torch.ones(2, requires_grad=True) * 1
    _make(torch, forward, lambda ctx, g, h: (g, g)).apply(base[:1], base[1:])


def dirty_output(torch: T) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_dirty(y)
        return y

    _make(torch, forward, lambda ctx, g: g).apply(torch.ones(2, requires_grad=True))


def view_output_modified(torch: T) -> None:
    y = _make(torch, lambda ctx, x: x.view(-1), lambda ctx, g: g.view(2, 1)).apply(
        torch.ones(2, 1, requires_grad=True) * 1
    )
    y.add_(1)


def output_is_input_modified(torch: T) -> None:
    y = _make(torch, lambda ctx, x: x, lambda ctx, g: g).apply(torch.ones(2, requires_grad=True) * 1)
    y.add_(1)


def second_derivative_of_once_differentiable(torch: T) -> None:
    backward = torch.autograd.function.once_differentiable(lambda ctx, g: g * 2)
    x = torch.ones(2, requires_grad=True)
    y = _make(torch, lambda ctx, x: x * 2, backward).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    g.sum().backward()


def setup_context_and_ctx(torch: T) -> None:
    function = _make(
        torch, lambda ctx, x: x * 2, lambda ctx, g: g, setup_context=lambda ctx, inputs, output: None
    )
    function.apply(torch.ones(2, requires_grad=True))


def setup_context_returns(torch: T) -> None:
    function = _make(torch, lambda x: x * 2, lambda ctx, g: g, setup_context=lambda ctx, inputs, output: 1)
    function.apply(torch.ones(2, requires_grad=True))


def both_backward_and_vjp(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g, vjp=lambda ctx, g: g)
    function.apply(torch.ones(2, requires_grad=True)).sum().backward()


def forward_mode_without_jvp(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g)
    torch.func.jvp(function.apply, (torch.ones(2),), (torch.ones(2),))


def vmap_without_rule(torch: T) -> None:
    function = _make(torch, lambda x: x * 2, lambda ctx, g: g, setup_context=lambda ctx, inputs, output: None)
    torch.vmap(function.apply)(torch.ones(2))


def transform_without_setup_context(torch: T) -> None:
    function = _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g)
    torch.func.grad(lambda x: function.apply(x).sum())(torch.ones(2))


def keyword_argument(torch: T) -> None:
    _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g).apply(x=torch.ones(2))


def missing_argument(torch: T) -> None:
    _make(torch, lambda ctx, x: x * 2, lambda ctx, g: g).apply()


def saved_tensors_hooks_return_number(torch: T) -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: 1.0):
        y = torch.ones(2, requires_grad=True).exp()
    y.sum().backward()


def saved_tensors_hooks_disabled(torch: T) -> None:
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            pass


def checkpoint_without_choice_warns(torch: T) -> None:
    torch.utils.checkpoint.checkpoint(lambda x: x * 2, torch.ones(2, requires_grad=True))


def checkpoint_of_inputs_without_grad_warns(torch: T) -> None:
    torch.utils.checkpoint.checkpoint(lambda x: x * 2, torch.ones(2), use_reentrant=True)


def checkpoint_with_unknown_keyword(torch: T) -> None:
    torch.utils.checkpoint.checkpoint(
        lambda x: x * 2, torch.ones(2, requires_grad=True), use_reentrant=True, colour="red"
    )


def checkpoint_reentrant_under_grad(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda x: x.exp(), x, use_reentrant=True)
    torch.autograd.grad(y.sum(), x)


def checkpoint_that_recomputes_less(torch: T) -> None:
    calls: list[int] = []

    def function(x: Any) -> Any:
        calls.append(1)
        return x.exp().sin() if len(calls) == 1 else x * 1

    x = torch.ones(2, requires_grad=True)
    torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False).sum().backward()


def grad_of_a_vector_function(torch: T) -> None:
    torch.func.grad(lambda x: x * 2)(torch.ones(2))


def grad_of_a_number_function(torch: T) -> None:
    torch.func.grad(lambda x: 2.0)(torch.ones(2))


def grad_of_integers(torch: T) -> None:
    torch.func.grad(lambda x: x.sum())(torch.tensor([1, 2]))


def vmap_of_scalars(torch: T) -> None:
    torch.vmap(lambda x: x)(torch.tensor(1.0))


def vmap_sizes(torch: T) -> None:
    torch.vmap(lambda x, y: x + y)(torch.ones(2), torch.ones(3))


def vmap_returns_number(torch: T) -> None:
    torch.vmap(lambda x: 1.0)(torch.ones(2))


def vmap_item(torch: T) -> None:
    torch.vmap(lambda x: x * x.item())(torch.ones(2))


def vmap_branch(torch: T) -> None:
    torch.vmap(lambda x: x if x > 0 else -x)(torch.ones(2))


def jvp_shapes(torch: T) -> None:
    torch.func.jvp(lambda x: x, (torch.ones(2),), (torch.ones(3),))


def increment_version_of_a_number(torch: T) -> None:
    torch.autograd.graph.increment_version(1.0)
