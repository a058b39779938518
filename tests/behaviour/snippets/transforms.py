"""`torch.func`: derivatives as functions of functions, what they accept and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

T = Any


def tell(function: Callable[[], Any]) -> None:
    """Print what a call gives, or its error."""
    try:
        print(function())
    except Exception as error:  # noqa: BLE001  # the class is part of what is compared
        print(type(error).__name__, str(error))


def _pair(x: T, y: T) -> T:
    return {"product": x * y, "sum": [x + y]}


def vjp_of_containers(torch: T) -> None:
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    output, pull = torch.func.vjp(_pair, x, y)
    print(output)
    print(pull({"product": torch.ones(2), "sum": [torch.tensor([10.0, 20.0])]}))
    print(torch.func.vjp(lambda d: d["a"].sin() * d["b"], {"a": x, "b": y})[1](torch.ones(2)))


def vjp_with_aux(torch: T) -> None:
    output, pull, aux = torch.func.vjp(lambda x: (x * x, x.sum()), torch.ones(3), has_aux=True)
    print(output, pull(torch.ones(3)), aux)


def vjp_several_pulls(torch: T) -> None:
    _, pull = torch.func.vjp(torch.sin, torch.zeros(2))
    print(pull(torch.ones(2)), pull(2 * torch.ones(2)))


def vjp_refuses(torch: T) -> None:
    x = torch.ones(2)
    tell(lambda: torch.func.vjp(lambda x: x, 1.0))
    tell(lambda: torch.func.vjp(lambda x: x, torch.ones(2, dtype=torch.int64)))
    tell(lambda: torch.func.vjp(lambda x: 1.0, x))
    tell(lambda: torch.func.vjp(lambda x: None, x))
    tell(lambda: torch.func.vjp(lambda x: (), x))
    tell(lambda: torch.func.vjp(lambda x: (x, 2), x))
    tell(lambda: torch.func.vjp(lambda x: x, x, has_aux=True))
    tell(lambda: torch.func.vjp(lambda x: x > 0, x))
    tell(lambda: torch.func.vjp(lambda x: x, x)[1]((x,)))
    tell(lambda: torch.func.vjp(lambda x: x, x)[1](torch.ones(3)))
    tell(lambda: torch.func.vjp(lambda x: {"a": x}, x)[1](x))


def vjp_of_no_inputs(torch: T) -> None:
    tell(lambda: torch.func.vjp(lambda: torch.ones(2))[0])


def vjp_where_nothing_depends(torch: T) -> None:
    print(torch.func.vjp(lambda x, y: x * 2, torch.ones(2), torch.ones(3))[1](torch.ones(2)))
    print(torch.func.vjp(lambda x: torch.ones(3), torch.ones(2))[1](torch.ones(3)))


def grad_refuses(torch: T) -> None:
    x = torch.ones(2)
    tell(lambda: torch.func.grad(lambda x: x)(x))
    tell(lambda: torch.func.grad(lambda x: 1.0)(x))
    tell(lambda: torch.func.grad(lambda x: x.sum())(1.0))
    tell(lambda: torch.func.grad(lambda x: x.sum(), argnums=1)(x))
    tell(lambda: torch.func.grad(lambda x: x.sum(), argnums=-2)(x))
    tell(lambda: torch.func.grad(lambda x: x.sum(), argnums=())(x))
    tell(lambda: torch.func.grad(lambda x: x.sum(), argnums=(0, 0))(x))
    tell(lambda: torch.func.grad(lambda x: x.sum(), argnums="a")(x))
    tell(lambda: torch.func.grad(lambda x: x.sum(), argnums=(0, 1.0))(x))
    tell(lambda: torch.func.grad(lambda x: x.sum(), argnums=[0])(x))
    tell(lambda: torch.func.grad(lambda x: x.sum(), has_aux=True)(x))
    tell(lambda: torch.func.grad(lambda x: (x.sum(), x, x), has_aux=True)(x))
    tell(lambda: torch.func.grad(lambda x: x.sum())(torch.ones(2, dtype=torch.int32)))
    tell(lambda: torch.func.grad(lambda x: x.sum())())
    tell(lambda: torch.func.grad(lambda x: (x > 0).sum())(x))


def grad_of_complex(torch: T) -> None:
    z = torch.tensor([1.0 + 2.0j, 3.0 - 1.0j])
    print(torch.func.grad(lambda z: (z * z.conj()).real.sum())(z))
    tell(lambda: torch.func.grad(lambda z: z.sum())(z))


def grad_with_keywords_and_containers(torch: T) -> None:
    x = {"w": torch.ones(2), "b": [torch.tensor(3.0)]}
    print(torch.func.grad(lambda p, scale: (p["w"].sum() * p["b"][0]) * scale)(x, scale=2.0))
    print(torch.func.grad(lambda p, *, scale: (p["w"] * scale).sum())(x, scale=torch.tensor([1.0, 4.0])))


def grad_by_negative_number(torch: T) -> None:
    x, y = torch.tensor(2.0), torch.tensor(3.0)
    print(torch.func.grad(lambda x, y: x * y * y, argnums=-1)(x, y))
    print(torch.func.grad(lambda x, y: x * y * y, argnums=(1, 0))(x, y))
    print(torch.func.grad_and_value(lambda x, y: (x * y, {"y": y}), argnums=(1,), has_aux=True)(x, y))


def grad_under_no_grad(torch: T) -> None:
    with torch.no_grad():
        print(torch.func.grad(lambda x: (x**3).sum())(torch.ones(2)))
    print(torch.func.grad(lambda x: (x.detach() * x).sum())(torch.ones(2)))

    def inside(x: T) -> T:
        with torch.no_grad():
            c = x**2
        return (x * c).sum()

    print(torch.func.grad(inside)(torch.full((2,), 3.0)))


def grad_keeps_recorded_graphs(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    g = torch.func.grad(lambda x: (x**3).sum())(x)
    print(g.requires_grad)
    g.sum().backward()
    print(x.grad)
    output, pull = torch.func.vjp(torch.sin, x)
    print(output.requires_grad, pull(torch.ones(2))[0].requires_grad)
    with torch.no_grad():
        print(pull(torch.ones(2))[0].requires_grad)


def properties_inside(torch: T) -> None:
    def inside(x: T) -> T:
        y = x * 2
        print(x.requires_grad, y.requires_grad, x.is_leaf, y.shape, y.dtype, y.dim(), y.numel())
        return y.sum()

    torch.func.grad(inside)(torch.ones(2))
    torch.func.jvp(inside, (torch.ones(2),), (torch.ones(2),))


def backward_inside(torch: T) -> None:
    def inside(x: T) -> T:
        y = (x**2).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        return (g * x).sum()

    tell(lambda: torch.func.grad(inside)(torch.tensor([1.0, 2.0])))
    tell(lambda: torch.func.grad(lambda x: torch.func.grad(inside)(x).sum())(torch.tensor([1.0, 2.0])))


def data_inside(torch: T) -> None:
    x = torch.tensor([1.0, 2.0])
    tell(lambda: torch.func.grad(lambda x: x.sum() if x[0] > 0 else -x.sum())(x))
    tell(lambda: torch.func.grad(lambda x: x.sum() * x[0].item())(x))
    tell(lambda: torch.func.grad(lambda x: x.sum() * float(x[1]))(x))
    tell(lambda: torch.func.grad(lambda x: x.sum() * x.tolist()[0])(x))
    tell(lambda: torch.func.jvp(lambda x: x if x.sum() > 0 else -x, (x,), (x,)))


def jvp_of_containers(torch: T) -> None:
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    print(torch.func.jvp(_pair, (x, y), (torch.ones(2), torch.zeros(2))))
    print(torch.func.jvp(lambda x: (x * x, x.sum()), (x,), (y,), has_aux=True))
    print(torch.func.jvp(lambda d: d["x"] * 2, ({"x": x},), ({"x": y},)))


def jvp_refuses(torch: T) -> None:
    x = torch.ones(2)
    tell(lambda: torch.func.jvp(torch.sin, x, x))
    tell(lambda: torch.func.jvp(torch.sin, (x,), x))
    tell(lambda: torch.func.jvp(torch.sin, (x,), (x, x)))
    tell(lambda: torch.func.jvp(torch.sin, (1.0,), (x,)))
    tell(lambda: torch.func.jvp(torch.sin, (x,), (1.0,)))
    tell(lambda: torch.func.jvp(lambda: x, (), ()))
    tell(lambda: torch.func.jvp(torch.sin, (x,), (torch.ones(3),)))
    tell(lambda: torch.func.jvp(torch.sin, (torch.ones(2, dtype=torch.int64),), (x,)))
    tell(lambda: torch.func.jvp(torch.sin, (x,), (torch.ones(2, dtype=torch.int64),)))
    tell(lambda: torch.func.jvp(lambda x: 1.0, (x,), (x,)))
    tell(lambda: torch.func.jvp(lambda x: (), (x,), (x,)))
    tell(lambda: torch.func.jvp(lambda x: None, (x,), (x,)))
    tell(lambda: torch.func.jvp(lambda x: (x, 1), (x,), (x,)))
    tell(lambda: torch.func.jvp(lambda x: x, (x,), (x,), has_aux=True))
    tell(lambda: torch.func.jvp(lambda x: torch.ones(2), (x,), (x,), strict=True))
    tell(lambda: torch.func.jvp(lambda x: torch.ones(2), (x,), (x,)))


def jacobians_of_containers(torch: T) -> None:
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        print(jacobian(_pair)(x, y))
        print(jacobian(_pair, argnums=(0, 1))(x, y))
        print(jacobian(lambda x: (x * x, {"sum": x.sum()}), has_aux=True)(x))
        print(jacobian(lambda d: d["x"] * d["y"])({"x": x, "y": y}))
        print(jacobian(lambda x: x.sum())(x))
        print(jacobian(lambda x: x * y)(torch.tensor(2.0)))
        print(jacobian(lambda x, y: x.outer(y), argnums=-1)(x, y).shape)


def jacobians_refuse(torch: T) -> None:
    _jacobian_refuses(torch, torch.func.jacrev)
    _jacobian_refuses(torch, torch.func.jacfwd)
    tell(lambda: torch.func.jacrev(torch.sin, chunk_size=0))
    tell(lambda: torch.func.jacrev(torch.sin, chunk_size=-1))


def _jacobian_refuses(torch: T, jacobian: T) -> None:
    x = torch.ones(2)
    tell(lambda: jacobian(torch.sin)(x + 1j))
    tell(lambda: jacobian(lambda x: x * 1j)(x))
    tell(lambda: jacobian(torch.sin, argnums=1)(x))
    tell(lambda: jacobian(torch.sin, argnums=())(x))
    tell(lambda: jacobian(torch.sin, argnums=(0, 0))(x))
    tell(lambda: jacobian(lambda x: 1)(x))
    tell(lambda: jacobian(lambda x: None)(x))
    tell(lambda: jacobian(lambda x: x, has_aux=True)(x))
    tell(lambda: jacobian(lambda x: x > 0)(x))
    tell(lambda: jacobian(torch.sin)(torch.ones(2, dtype=torch.int64)))


def jacrev_in_chunks(torch: T) -> None:
    x = torch.arange(4.0)
    for size in (1, 2, 3, 10):
        print(torch.func.jacrev(lambda x: (x * x, x.sum()), chunk_size=size)(x))
        print(torch.func.jacrev(lambda x: x * x[0], chunk_size=size, _preallocate_and_copy=True)(x))


def hessian_of_containers(torch: T) -> None:
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    print(torch.func.hessian(lambda x, y: (x * x * y).sum(), argnums=(0, 1))(x, y))
    print(torch.func.hessian(lambda d: (d["x"] ** 3).sum())({"x": x}))
    print(torch.func.hessian(lambda x: x**3)(x))


def jacfwd_with_random_numbers(torch: T) -> None:
    x = torch.ones(2)
    tell(lambda: torch.func.jacfwd(lambda x: x * torch.rand(2))(x))
    torch.manual_seed(0)
    tell(lambda: torch.func.jacfwd(lambda x: x * torch.rand(2), randomness="same")(x))
    torch.manual_seed(0)
    tell(lambda: torch.func.jacfwd(lambda x: x * torch.rand(2), randomness="different")(x))


def linearize(torch: T) -> None:
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    output, push = torch.func.linearize(_pair, x, y)
    print(output)
    print(push(torch.ones(2), torch.zeros(2)))
    output, push = torch.func.linearize(lambda d: d["x"].sin().sum(), {"x": x})
    print(output, push({"x": torch.ones(2)}))


def linearize_calls_once_more(torch: T) -> None:
    calls = []

    def counted(x: T) -> T:
        calls.append(1)
        return x.sin()

    _, push = torch.func.linearize(counted, torch.ones(2))
    print(len(calls))
    push(torch.ones(2)), push(torch.ones(2))
    print(len(calls))


def linearize_refuses(torch: T) -> None:
    x = torch.ones(2)
    push = torch.func.linearize(torch.sin, x)[1]
    tell(lambda: push(torch.ones(3)))
    tell(lambda: push(torch.ones(2, dtype=torch.float64)))
    tell(lambda: push(x, x))
    tell(lambda: push([x]))
    tell(lambda: torch.func.linearize(lambda x: x.sin(), torch.ones(2, dtype=torch.int64)))


def in_place_on_captured(torch: T) -> None:
    y = torch.zeros(2)
    tell(lambda: torch.func.grad(lambda x: y.add_(x).sum())(torch.ones(2)))
    tell(lambda: torch.func.jvp(lambda x: y.mul_(x), (torch.ones(2),), (torch.ones(2),)))
    tell(lambda: torch.vmap(lambda x: y.copy_(x))(torch.ones(3, 2)))
    tell(lambda: torch.vmap(lambda x: y.__setitem__(0, x.sum()))(torch.ones(3, 2)))
    print(y)


def in_place_on_inputs(torch: T) -> None:
    def f(x: T) -> T:
        x.mul_(3)
        return (x * x).sum()

    x = torch.ones(2)
    tell(lambda: torch.func.grad(f)(x))
    print(x)
    tell(lambda: torch.func.grad(lambda x: f(x.clone()))(x))
    tell(lambda: torch.func.jvp(f, (x,), (torch.ones(2),)))
    print(x)
    x = torch.ones(3, 2)
    tell(lambda: torch.vmap(f)(x))
    print(x)
    tell(lambda: torch.func.jvp(lambda x: x.zero_(), (x,), (x.clone(),)))


def in_place_on_new_tensors(torch: T) -> None:
    def f(x: T) -> T:
        y = torch.zeros_like(x)
        y[0] = x[1]
        y[1:] += x[:1] ** 2
        return (y * torch.tensor([1.0, 10.0])).sum()

    x = torch.tensor([3.0, 5.0])
    tell(lambda: torch.func.grad(f)(x))
    tell(lambda: torch.func.hessian(f)(x))
    tell(lambda: torch.func.jvp(f, (x,), (torch.tensor([1.0, 0.0]),)))
    tell(lambda: torch.vmap(f)(torch.stack([x, 2 * x])))
    tell(lambda: torch.vmap(torch.func.grad(f))(torch.stack([x, 2 * x])))


def escaped_tensors(torch: T) -> None:
    kept: list[T] = []

    def keep(x: T) -> T:
        kept.append(x * 2)
        return x.sum()

    torch.func.grad(keep)(torch.ones(2))
    tell(lambda: kept[-1].shape)
    tell(lambda: kept[-1] + 1)
    torch.vmap(keep)(torch.ones(3, 2))
    tell(lambda: kept[-1].shape)
    tell(lambda: kept[-1] + 1)
    torch.func.jvp(keep, (torch.ones(2),), (torch.ones(2),))
    tell(lambda: kept[-1].shape)
    tell(lambda: kept[-1] + 1)


def saved_tensor_hooks(torch: T) -> None:
    x = torch.ones(2)

    def hooked(x: T) -> T:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return (x * x).sum()

    tell(lambda: torch.func.grad(hooked)(x))
    tell(lambda: torch.func.vjp(hooked, x))
    tell(lambda: torch.func.jacrev(hooked)(x))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        tell(lambda: torch.func.grad(lambda x: (x * x).sum())(x))


def functionalized(torch: T) -> None:
    def f(x: T) -> T:
        y = x.clone()
        y.add_(1)
        y[0].mul_(2)
        return y

    x = torch.arange(4.0).view(2, 2)
    print(torch.func.functionalize(f)(x))
    print(torch.func.functionalize(f, remove="mutations_and_views")(x))

    def mutating(x: T, y: T = None) -> T:
        x.add_(1)
        y.view(-1)[0] = 5.0
        return x.view(-1)

    x, y = torch.zeros(2, 2), torch.zeros(2, 2)
    print(torch.func.functionalize(mutating)(x, y=y), x, y)
    tell(lambda: torch.func.functionalize(f, remove="views"))
    print(torch.vmap(torch.func.functionalize(f))(torch.arange(8.0).view(2, 2, 2)))
    print(torch.func.grad(lambda x: torch.func.functionalize(f)(x).sum())(torch.ones(2, 2)))


def unwrapped(torch: T) -> None:
    def inside(x: T) -> T:
        print(torch.func.debug_unwrap(x))
        print(torch.func.debug_unwrap(x, recurse=False).shape)
        return x.sum()

    torch.vmap(inside)(torch.arange(4.0).view(2, 2))
    torch.func.grad(inside)(torch.arange(2.0))
    torch.vmap(torch.func.grad(inside))(torch.arange(4.0).view(2, 2))
    print(torch.func.debug_unwrap(torch.ones(2)))


def names(torch: T) -> None:
    print(torch.func.__all__)


def wrapped_names(torch: T) -> None:
    def documented(x: T) -> T:
        """What it does."""
        return x.sum()

    for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd, torch.vmap, torch.func.hessian):
        print(transform(documented).__name__, transform(documented).__doc__)


def nested_in_every_order(torch: T) -> None:
    f = torch.func

    def g(x: T) -> T:
        return (x.sin() * x.sum()).sum()

    x = torch.tensor([0.5, -1.0])
    xs = torch.stack([x, 2 * x])
    print(f.grad(lambda x: f.jvp(g, (x,), (torch.ones(2),))[1])(x))
    print(f.jvp(f.grad(g), (x,), (torch.ones(2),))[1])
    print(f.jvp(lambda x: f.jvp(g, (x,), (torch.ones(2),))[1], (x,), (torch.ones(2),))[1])
    print(torch.vmap(lambda x: f.jvp(f.grad(g), (x,), (torch.ones(2),))[1])(xs))
    print(f.jvp(torch.vmap(f.grad(g)), (xs,), (torch.ones(2, 2),))[1])
    print(f.grad(lambda xs: torch.vmap(f.grad(g))(xs).sum())(xs))
    print(f.jacrev(f.jacfwd(f.grad(g)))(x).shape, f.jacfwd(f.hessian(g))(x).shape)
    print(f.vjp(f.grad(g), x)[1](torch.ones(2)))
    print(torch.vmap(f.hessian(g))(xs))


def pull_outside(torch: T) -> None:
    x = torch.tensor([0.5, -1.0])
    _, pull = torch.func.vjp(lambda x: x.sin(), x)
    print(torch.vmap(pull)(torch.eye(2)))
    print(torch.func.jacrev(lambda v: pull(v)[0])(torch.ones(2)))


def autograd_function_inside(torch: T) -> None:
    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx: T, x: T) -> T:
            return x * 3

        @staticmethod
        def backward(ctx: T, g: T) -> T:
            return g * 3

    x = torch.ones(2)
    tell(lambda: torch.func.grad(lambda x: Triple.apply(x).sum())(x))
    tell(lambda: torch.vmap(Triple.apply)(x))


def along_the_axis_of_a_number(torch: T) -> None:
    x, first = torch.tensor([0.5, 2.0, -1.0]), torch.tensor(0)
    for name in ("cumsum", "cumprod", "logcumsumexp", "argsort", "argmax", "prod", "cummax", "sort"):
        print(name, torch.vmap(lambda a, name=name: getattr(a, name)(0))(x))
    print(torch.vmap(lambda a: a.topk(1, 0))(x), torch.vmap(lambda a: a.kthvalue(1, 0, True))(x))
    print(torch.vmap(lambda a: a.gather(0, first))(x), torch.vmap(lambda a: a.scatter_add(0, first, a))(x))
    for function in (lambda a: a.cumsum(0) * a, lambda a: a.sort()[0] * a, lambda a: a.gather(0, first) * a):
        print(torch.func.hessian(function)(x[1]), torch.func.jacrev(function)(x[1]))
