"""`torch.autograd.forward_ad`: levels, duals, views and in-place updates of duals."""

from __future__ import annotations

from typing import Any

from .transforms import tell

T = Any


def levels(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    print(fwd.enter_dual_level())
    tell(fwd.enter_dual_level)
    print(fwd.exit_dual_level())
    tell(fwd.exit_dual_level)
    with fwd.dual_level() as level:
        print(level)
        tell(lambda: fwd.exit_dual_level(level=3))


def duals(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    with fwd.dual_level():
        d = fwd.make_dual(x, t)
        print(d)
        print(fwd.unpack_dual(d))
        print(fwd.unpack_dual(x))
        print(fwd.unpack_dual(d.sin()).tangent)
        print(fwd.unpack_dual(d * 2 + x).tangent)
        print(d.shape, d.dtype, d.requires_grad, d.is_leaf)
        print(type(fwd.unpack_dual(d)).__name__, fwd.unpack_dual(d)._fields)
        print(fwd.unpack_dual(d.detach()).tangent)
        with torch.no_grad():
            print(fwd.unpack_dual(d * d).tangent)
    print(fwd.unpack_dual(d))
    print(d)
    with fwd.dual_level():
        print(fwd.unpack_dual(d).tangent)
        print(fwd.unpack_dual(d * 2).tangent)


def refuses(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    x = torch.ones(2)
    tell(lambda: fwd.make_dual(x, x))
    with fwd.dual_level():
        tell(lambda: fwd.make_dual(x, torch.ones(3)))
        tell(lambda: fwd.make_dual(torch.ones(2, dtype=torch.int64), x))
        tell(lambda: fwd.make_dual(x, torch.ones(2, dtype=torch.int64)))
        tell(lambda: fwd.make_dual(fwd.make_dual(x, x), x))
        tell(lambda: fwd.make_dual(1.0, x))
        tell(lambda: fwd.make_dual(x, fwd.make_dual(x, x)))


def views(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.arange(4.0).view(2, 2), torch.arange(4.0).view(2, 2) * 10
    with fwd.dual_level():
        d = fwd.make_dual(x, t)
        print(fwd.unpack_dual(d.t()).tangent)
        print(fwd.unpack_dual(d[0]).tangent)
        print(fwd.unpack_dual(d.view(-1)[1:]).tangent)
        print(fwd.unpack_dual(fwd.unpack_dual(d).primal).tangent)


def in_place(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    with fwd.dual_level():
        d = fwd.make_dual(x, t)
        d.mul_(3)
        print(fwd.unpack_dual(d))
        y = torch.zeros(2)
        y.copy_(d)
        print(fwd.unpack_dual(y))
        y = torch.zeros(2)
        y += d
        print(fwd.unpack_dual(y).tangent)
        y[0] = 7.0
        print(fwd.unpack_dual(y))
        y.zero_()
        print(fwd.unpack_dual(y).tangent)
        z = torch.zeros(2)
        z[1] = d[0]
        print(fwd.unpack_dual(z).tangent)
        z = torch.zeros(2)
        z.view(-1)[:1].add_(d[:1])
        print(fwd.unpack_dual(z).tangent)


def with_recording(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with fwd.dual_level():
        y = (fwd.make_dual(x, torch.tensor([10.0, 20.0])) ** 3).sum()
        primal, tangent = fwd.unpack_dual(y)
        print(primal.requires_grad, tangent.requires_grad)
        print(torch.autograd.grad(tangent, x, retain_graph=True))
        print(torch.autograd.grad(primal, x)[0].tolist())


def with_transforms(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    with fwd.dual_level():
        d = fwd.make_dual(x, t)
        tell(lambda: fwd.unpack_dual(torch.func.grad(lambda x: (x**3).sum())(d)).tangent)
        tell(lambda: fwd.unpack_dual(torch.vmap(lambda x: x**3)(d)).tangent)


def inside_transforms(torch: T) -> None:
    fwd = torch.autograd.forward_ad

    def push(x: T, t: T) -> T:
        with fwd.dual_level():
            return fwd.unpack_dual(fwd.make_dual(x, t).sin()).tangent

    x, t = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    tell(lambda: torch.func.grad(lambda x: push(x, t).sum())(x))


def modules(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    layer = torch.nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 2.0]]))
        layer.bias.zero_()
    with fwd.dual_level():
        x = fwd.make_dual(torch.tensor([[3.0, 4.0]]), torch.tensor([[1.0, 1.0]]))
        print(fwd.unpack_dual(layer(x)).tangent.tolist())


def decorator(torch: T) -> None:
    fwd = torch.autograd.forward_ad

    @fwd.dual_level()
    def push(x: T, t: T) -> T:
        return fwd.unpack_dual(fwd.make_dual(x, t) ** 2).tangent

    print(push(torch.ones(2), torch.ones(2)))


def public_names(torch: T) -> None:
    print(torch.autograd.forward_ad.__all__)


def no_forward_derivative(torch: T) -> None:
    fwd = torch.autograd.forward_ad

    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx: T, x: T) -> T:
            return x * 3

        @staticmethod
        def backward(ctx: T, g: T) -> T:
            return g * 3

    with fwd.dual_level():
        d = fwd.make_dual(torch.ones(2), torch.ones(2))
        tell(lambda: Plain.apply(d))


def comparisons_carry_none(torch: T) -> None:
    fwd = torch.autograd.forward_ad
    with fwd.dual_level():
        d = fwd.make_dual(torch.ones(2), torch.ones(2))
        print(fwd.unpack_dual(d > 0).tangent, fwd.unpack_dual(d.long()).tangent)
        print(fwd.unpack_dual(d.floor()).tangent)
        print(fwd.unpack_dual(d.max(0).values).tangent)
        print(fwd.unpack_dual(d.to(torch.float64)).tangent)
        print(fwd.unpack_dual(d.clone()).tangent)


def gradients_carry_tangents(torch: T) -> None:
    forward = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    t = torch.tensor([1.0, 0.5])
    with forward.dual_level():
        dual = forward.make_dual(x, t)
        print(dual.is_leaf, dual.requires_grad, type(dual.grad_fn).__name__)
        for at in (dual, x):
            (g,) = torch.autograd.grad((dual**3).sum(), at)
            print(*forward.unpack_dual(g))
        (g,) = torch.autograd.grad((dual**3).sum(), dual, create_graph=True)
        primal, tangent = forward.unpack_dual(g)
        (second,) = torch.autograd.grad(tangent.sum(), x)
        print(primal.detach(), tangent.detach(), forward.unpack_dual(second).primal)
        (dual**3).sum().backward()
        print(*forward.unpack_dual(x.grad))


def gradients_of_a_model_carry_tangents(torch: T) -> None:
    forward = torch.autograd.forward_ad
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    data = torch.randn(5, 3)
    parameters = dict(model.named_parameters())
    with forward.dual_level():
        duals = {name: forward.make_dual(p, torch.ones_like(p)) for name, p in parameters.items()}
        loss = torch.func.functional_call(model, duals, (data,)).pow(2).mean()
        for g in torch.autograd.grad(loss, list(duals.values())):
            print(forward.unpack_dual(g).tangent)
        print(forward.unpack_dual(loss).tangent.detach())


def a_tangent_that_requires_grad(torch: T) -> None:
    forward = torch.autograd.forward_ad
    x, t = (torch.tensor(v, requires_grad=True) for v in ([1.0, 2.0], [1.0, 0.5]))
    with forward.dual_level():
        cube = forward.make_dual(x, t) ** 3
        tangent = forward.unpack_dual(cube).tangent
        print(torch.autograd.grad(tangent.sum(), [x, t]))
    with forward.dual_level():
        cube = forward.make_dual(x.detach(), t) ** 3
        print(cube.requires_grad, torch.autograd.grad(forward.unpack_dual(cube).tangent.sum(), t))
