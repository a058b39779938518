"""`torch.autograd.Function` in both styles."""

from __future__ import annotations

import warnings
from typing import Any

T = Any


def _square(torch: T) -> Any:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 2 * x

    return Square


def old_style(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = _square(torch).apply(x)
    print(y)
    y.backward(torch.tensor([1.0, 10.0]))
    print(x.grad)


def names(torch: T) -> None:
    y = _square(torch).apply(torch.ones(2, requires_grad=True))
    print(y.grad_fn.name(), type(y.grad_fn).__name__, [(n.name(), k) for n, k in y.grad_fn.next_functions])
    print(y.is_leaf, y.requires_grad, y._version)


def without_grad(torch: T) -> None:
    y = _square(torch).apply(torch.ones(2))
    print(y.grad_fn, y.requires_grad)
    with torch.no_grad():
        print(_square(torch).apply(torch.ones(2, requires_grad=True)).requires_grad)


def second_derivative(torch: T) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    (g,) = torch.autograd.grad(_square(torch).apply(x), x, create_graph=True)
    print(g)
    print(torch.autograd.grad(g, x))


def setup_context(torch: T) -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, factor: float) -> Any:
            return x * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            _, ctx.factor = inputs
            print(type(inputs).__name__, output.requires_grad)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.factor, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Scale.apply(x, 5.0)
    y.sum().backward()
    print(y, x.grad)


def grad_mode_inside(torch: T) -> None:
    class Look(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            print("forward", torch.is_grad_enabled(), x.requires_grad)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            print("backward", torch.is_grad_enabled(), g.requires_grad)
            return g * 2

    x = torch.ones((), requires_grad=True)
    Look.apply(x).backward()
    torch.autograd.grad(Look.apply(x), x, create_graph=True)


def two_outputs(torch: T) -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            print(g, h)
            return g * 2 + h * 3

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = Both.apply(x)
    print(a, b, a.output_nr, b.output_nr, a.grad_fn is b.grad_fn)
    b.sum().backward()
    print(x.grad)


def undefined_gradients_stay_none(torch: T) -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            print(g, h)
            return h * 3

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    Both.apply(x)[1].sum().backward()
    print(x.grad)


def needs_input_grad(torch: T) -> None:
    class Multiply(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, n: int) -> Any:
            ctx.save_for_backward(x, y)
            print(ctx.needs_input_grad)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            print(ctx.needs_input_grad)
            return (
                g * y if ctx.needs_input_grad[0] else None,
                g * x if ctx.needs_input_grad[1] else None,
                None,
            )

    x = torch.tensor(2.0, requires_grad=True)
    Multiply.apply(x, torch.tensor(3.0), 1).backward()
    print(x.grad)


def mark_dirty(torch: T) -> None:
    class Increment(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 10

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = x * 2
    b = Increment.apply(a)
    print(b is a, a, a._version, a.grad_fn.name())
    b.sum().backward()
    print(x.grad)


def mark_dirty_view(torch: T) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    a = x * 1
    Double.apply(a[1:])
    print(a, a.grad_fn.name())
    a.sum().backward()
    print(x.grad)


def mark_non_differentiable(torch: T) -> None:
    class Sort(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            values, order = x.sort()
            ctx.mark_non_differentiable(order)
            ctx.save_for_backward(order)
            return values, order

        @staticmethod
        def backward(ctx: Any, g: Any, unused: Any) -> Any:
            (order,) = ctx.saved_tensors
            print(unused)
            return torch.zeros_like(g).index_copy(0, order, g)

    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, order = Sort.apply(x)
    print(values.requires_grad, order.requires_grad)
    values.backward(torch.tensor([1.0, 2.0, 3.0]))
    print(x.grad)


def non_tensor_arguments_and_results(torch: T) -> None:
    class Mixed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, text: str, numbers: list[int]) -> Any:
            return x * numbers[0], text + "!", None

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            print(gradients)
            return gradients[0] * 2, None, None

    x = torch.tensor(1.0, requires_grad=True)
    y, text, nothing = Mixed.apply(x, "hello", [2])
    print(y, text, nothing)
    y.backward()
    print(x.grad)


def returns_its_input(torch: T) -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 7

    x = torch.tensor([1.0], requires_grad=True)
    y = Same.apply(x)
    print(y is x, y._is_view(), y.grad_fn.name())
    y.backward()
    print(x.grad)


def gradient_reversal(torch: T) -> None:
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return -g

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (Reverse.apply(x) * 3).sum().backward()
    print(x.grad)


def straight_through(torch: T) -> None:
    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.round()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.tensor([0.4, 1.6], requires_grad=True)
    y = Round.apply(x)
    y.sum().backward()
    print(y, x.grad)


def broadcast_gradient_is_summed(torch: T) -> None:
    class Expand(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.expand(3, 2).clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.ones(2, requires_grad=True)
    Expand.apply(x).sum().backward()
    print(x.grad)


def gradient_of_other_dtype_is_cast(torch: T) -> None:
    class Cast(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.double()

    x = torch.ones(2, requires_grad=True)
    Cast.apply(x).sum().backward()
    print(x.grad.dtype)


def once_differentiable(torch: T) -> None:
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            print(torch.is_grad_enabled())
            return g * 2

    x = torch.ones((), requires_grad=True)
    (g,) = torch.autograd.grad(Once.apply(x), x, create_graph=True)
    print(g)


def jvp(torch: T) -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0])
            ctx.save_for_forward(inputs[0])

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3 * ctx.saved_tensors[0] ** 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 3 * ctx.saved_tensors[0] ** 2

    print(torch.func.jvp(Cube.apply, (torch.tensor(2.0),), (torch.tensor(1.0),)))
    print(torch.func.grad(Cube.apply)(torch.tensor(2.0)))


def vmap_static_method(torch: T) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            print(info.batch_size, info.randomness, in_dims, tuple(x.shape))
            return Double.apply(x), 0

    print(torch.vmap(Double.apply)(torch.arange(3.0)))


def generate_vmap_rule(torch: T) -> None:
    class Double(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    print(torch.vmap(Double.apply)(torch.arange(3.0)))
    print(torch.vmap(torch.func.grad(lambda x: Double.apply(x)))(torch.arange(3.0)))


def context_attributes(torch: T) -> None:
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: int) -> Any:
            ctx.factor = factor
            ctx.shape = x.shape
            return x * factor

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            print(ctx.factor, ctx.shape, type(ctx).__name__)
            return g * ctx.factor, None

    x = torch.ones(2, requires_grad=True)
    y = Keep.apply(x, 3)
    print(y.grad_fn.factor, y.grad_fn.shape)
    y.sum().backward()


def saves_its_output(torch: T) -> None:
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (y,) = ctx.saved_tensors
            print(y.requires_grad, y.grad_fn.name())
            return g * y

    x = torch.tensor(0.0, requires_grad=True)
    (g,) = torch.autograd.grad(Exp.apply(x), x, create_graph=True)
    print(g, torch.autograd.grad(g, x))


def saves_none(torch: T) -> None:
    class Optional(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, bias: Any) -> Any:
            ctx.save_for_backward(x, bias)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            print(ctx.saved_tensors)
            return g * 2, None

    Optional.apply(torch.tensor(1.0, requires_grad=True), None).backward()


def saved_tensors_keep_their_identity(torch: T) -> None:
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            print(x is leaf, x.requires_grad, x.is_leaf)
            return g * 2

    leaf = torch.tensor(1.0, requires_grad=True)
    Keep.apply(leaf).backward()


def called_within_another(torch: T) -> None:
    square = _square(torch)

    class Fourth(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            with torch.enable_grad():
                return square.apply(square.apply(x))

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                x = x.detach().requires_grad_()
                return torch.autograd.grad(square.apply(square.apply(x)), x, g)[0]

    x = torch.tensor(2.0, requires_grad=True)
    y = Fourth.apply(x)
    y.backward()
    print(y, x.grad)


def gradcheck(torch: T) -> None:
    x = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
    print(torch.autograd.gradcheck(_square(torch).apply, (x,)))
    print(torch.autograd.gradgradcheck(_square(torch).apply, (x,)))


def which_inputs_need_gradients_where_nothing_is_recorded(torch: T) -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            print(ctx.needs_input_grad)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, g

    class Apart(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            print(ctx.needs_input_grad)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, g

    x, y = torch.ones(1, requires_grad=True), torch.ones(1)
    for mode in (torch.enable_grad, torch.no_grad, torch.inference_mode):
        with mode():
            for function in (Product, Apart):
                function.apply(x, y)
                function.apply(y, x)
                function.apply(y, 3)


def a_failing_backward_in_anomaly_mode(torch: T) -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ValueError("no")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            y = Fails.apply(torch.ones(1, requires_grad=True))
            try:
                y.backward()
            except ValueError as error:
                print(error)
    for item in caught:
        text = str(item.message)
        print(text.splitlines()[0], "Fails.apply(torch.ones" in text)


def arguments_that_are_no_tensors_have_no_edge(torch: T) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, scale: float, x: Any, name: str, y: Any) -> Any:
            return scale * x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return None, g, None, g if g[0] > 1 else g[:1].repeat(5)

    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    z = Scaled.apply(2.0, x, "a", y)
    print([type(node).__name__ for node, _ in z.grad_fn.next_functions])
    z.grad_fn.register_hook(lambda grads, _: (grads[0] * 2, grads[1] * 3))
    z.backward(torch.full((2,), 2.0))
    print(x.grad, y.grad, len(Scaled.apply(2.0, x, "a", torch.ones(2)).grad_fn.next_functions))
    try:
        Scaled.apply(2.0, x, "a", y).backward(torch.ones(2))
    except RuntimeError as error:
        print(error)
