"""`torch.autograd.functional`, `torch.func` and gradcheck."""

from __future__ import annotations

from typing import Any

T = Any


def _f(x: Any) -> Any:
    return x**2 * 3


def jacobian(torch: T) -> None:
    print(torch.autograd.functional.jacobian(_f, torch.tensor([1.0, 2.0])))


def jacobian_of_two_inputs(torch: T) -> None:
    print(
        torch.autograd.functional.jacobian(
            lambda x, y: x * y.sum(), (torch.ones(2), torch.tensor([2.0, 3.0]))
        )
    )


def jacobian_of_two_outputs(torch: T) -> None:
    print(torch.autograd.functional.jacobian(lambda x: (x.sum(), x * 2), torch.tensor([1.0, 2.0])))


def jacobian_of_a_matrix(torch: T) -> None:
    result = torch.autograd.functional.jacobian(lambda x: x.t() * 2, torch.ones(2, 3))
    print(result.shape, result.sum())


def jacobian_vectorized(torch: T) -> None:
    x = torch.tensor([1.0, 2.0])
    print(torch.autograd.functional.jacobian(_f, x, vectorize=True))
    print(torch.autograd.functional.jacobian(_f, x, vectorize=True, strategy="forward-mode"))


def jacobian_with_graph(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    result = torch.autograd.functional.jacobian(_f, x, create_graph=True)
    print(result.requires_grad, torch.autograd.functional.jacobian(_f, x).requires_grad)
    print(torch.autograd.grad(result.sum(), x))


def jacobian_of_independent_output(torch: T) -> None:
    print(torch.autograd.functional.jacobian(lambda x: torch.ones(2), torch.ones(3)))


def hessian(torch: T) -> None:
    print(torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0])))


def hessian_of_two_inputs(torch: T) -> None:
    print(torch.autograd.functional.hessian(lambda x, y: x * y**2, (torch.tensor(2.0), torch.tensor(3.0))))


def hessian_vectorized(torch: T) -> None:
    x = torch.tensor([1.0, 2.0])
    print(torch.autograd.functional.hessian(lambda x: x.prod() ** 2, x, vectorize=True))
    print(
        torch.autograd.functional.hessian(lambda x: x.prod() ** 2, x, outer_jacobian_strategy="reverse-mode")
    )


def vjp(torch: T) -> None:
    print(torch.autograd.functional.vjp(_f, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])))
    print(torch.autograd.functional.vjp(lambda x: x.sum(), torch.tensor([1.0, 2.0])))


def jvp(torch: T) -> None:
    print(torch.autograd.functional.jvp(_f, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])))


def vhp_and_hvp(torch: T) -> None:
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    print(torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, v))
    print(torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, v))


def results_have_no_graph(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    output, gradient = torch.autograd.functional.vjp(_f, x, torch.ones(2))
    print(output.requires_grad, gradient.requires_grad)
    output, gradient = torch.autograd.functional.vjp(_f, x, torch.ones(2), create_graph=True)
    print(output.requires_grad, gradient.requires_grad)


def func_grad(torch: T) -> None:
    print(torch.func.grad(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0])))
    print(torch.func.grad(torch.func.grad(lambda x: x**3))(torch.tensor(2.0)))


def func_grad_and_value(torch: T) -> None:
    print(
        torch.func.grad_and_value(lambda x, y: (x * y).sum(), argnums=(0, 1))(
            torch.ones(2), torch.full((2,), 3.0)
        )
    )


def func_grad_with_aux(torch: T) -> None:
    print(torch.func.grad(lambda x: (x.sum(), x * 2), has_aux=True)(torch.ones(2)))


def func_vjp(torch: T) -> None:
    output, pull = torch.func.vjp(_f, torch.tensor([1.0, 2.0]))
    print(output, pull(torch.tensor([1.0, 10.0])))


def func_jvp(torch: T) -> None:
    print(torch.func.jvp(_f, (torch.tensor([1.0, 2.0]),), (torch.tensor([1.0, 10.0]),)))


def func_jacobians(torch: T) -> None:
    x = torch.tensor([1.0, 2.0])
    print(torch.func.jacrev(_f)(x))
    print(torch.func.jacfwd(_f)(x))
    print(torch.func.hessian(lambda x: (x**3).sum())(x))


def func_vmap(torch: T) -> None:
    print(torch.vmap(lambda x: x.sum())(torch.arange(6.0).view(2, 3)))
    print(torch.vmap(lambda x, y: x * y, in_dims=(0, None), out_dims=1)(torch.arange(3.0), torch.ones(2)))


def func_vmap_of_grad(torch: T) -> None:
    w = torch.tensor([1.0, 2.0])
    xs = torch.arange(6.0).view(3, 2)
    print(torch.vmap(torch.func.grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0))(w, xs))


def func_vmap_nested(torch: T) -> None:
    x = torch.arange(3.0)
    print(torch.vmap(lambda a: torch.vmap(lambda b: a * 10 + b)(x))(x))


def func_linearize(torch: T) -> None:
    output, push = torch.func.linearize(_f, torch.tensor([1.0, 2.0]))
    print(output, push(torch.tensor([1.0, 10.0])))


def func_functional_call(torch: T) -> None:
    layer = torch.nn.Linear(2, 1)
    parameters = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    print(torch.func.functional_call(layer, parameters, (torch.tensor([[1.0, 2.0]]),)))


def forward_mode(torch: T) -> None:
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        x = forward.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
        y = forward.unpack_dual(_f(x))
        print(y.primal, y.tangent)


def gradcheck(torch: T) -> None:
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    print(torch.autograd.gradcheck(torch.sin, (x,)))
    print(torch.autograd.gradcheck(lambda x: (x.exp(), x * 2), (x,)))
    print(torch.autograd.gradgradcheck(torch.sin, (x,)))


def gradcheck_without_raising(torch: T) -> None:
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    print(torch.autograd.gradcheck(lambda x: x.detach() * x, (x,), raise_exception=False))


def gradcheck_of_complex(torch: T) -> None:
    z = torch.tensor([0.3 + 0.5j, 0.7 - 0.1j], dtype=torch.complex128, requires_grad=True)
    print(torch.autograd.gradcheck(lambda z: z * z.conj(), (z,)))


def gradcheck_of_several(torch: T) -> None:
    a = torch.tensor([[0.3, 0.7]], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([[0.2], [0.1]], dtype=torch.float64, requires_grad=True)
    print(torch.autograd.gradcheck(torch.mm, (a, b)))


def hessians_by_forward_mode(torch: T) -> None:
    hessian = torch.autograd.functional.hessian
    x, w = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 3.0], requires_grad=True)
    found = hessian(lambda x: (w * x**3).sum(), x, outer_jacobian_strategy="forward-mode", vectorize=True)
    print(found.detach(), found.requires_grad, *torch.autograd.grad(found.sum(), w))
    pairs = hessian(
        lambda a, b: (a * b * b).sum(), (x, x * 2), outer_jacobian_strategy="forward-mode", vectorize=True
    )
    print([[part.tolist() for part in row] for row in pairs])
    for options in ({"create_graph": True, "vectorize": True}, {}):
        try:
            hessian(lambda x: (x**3).sum(), x, outer_jacobian_strategy="forward-mode", **options)
        except NotImplementedError as error:
            print(error)


def gradcheck_records(torch: T) -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    print(torch.autograd.gradcheck(lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0], x))
    seen = set()

    def square(x: Any) -> Any:
        seen.add(torch.is_grad_enabled())
        return x**2

    print(torch.autograd.gradcheck(square, x), seen)
    try:
        with torch.no_grad():
            torch.autograd.gradcheck(square, x)
    except RuntimeError as error:
        print(error)
    y = (torch.ones(2, dtype=torch.complex128) + 2j).conj().requires_grad_()
    print(torch.autograd.gradcheck(lambda y: y * y.conj() * 1j, y))


def loss_in_chunks(torch: T) -> None:
    x = (torch.arange(18.0).view(6, 3).sin() * 2).requires_grad_()
    weight, bias = torch.arange(12.0).view(4, 3).cos().requires_grad_(), torch.ones(4, requires_grad=True)
    target = torch.tensor([0, 1, 2, 3, 1, -100])
    options = torch.nn.LinearCrossEntropyOptions

    def loss(given: T, y: T = target, **named: T) -> T:
        return torch.nn.functional.linear_cross_entropy(
            x, weight, y, linear_bias=bias, options=given, **named
        )

    for size in (None, 1, 4, 100):
        for reduction in ("mean", "sum"):
            found = loss(options(batch_chunk_size=size), reduction=reduction)
            print(found.grad_fn.name(), round(found.item(), 4))
            for g in torch.autograd.grad(found * 2, [x, weight, bias]):
                print([round(v, 4) + 0.0 for v in g.flatten().tolist()])
    # The gradients are constants: there are no second derivatives.
    v = torch.ones((), requires_grad=True)
    found = loss(options(allow_retain_graph=True, batch_chunk_size=2))
    (g,) = torch.autograd.grad(found, [x], v, create_graph=True)
    print(torch.autograd.grad(g.sum(), [x, weight], allow_unused=True, retain_graph=True))
    found.backward(retain_graph=True)
    found.backward()
    once = loss(options(batch_chunk_size=2))
    once.backward(retain_graph=True)
    try:
        once.backward()
    except RuntimeError as error:
        print(error)
    for wrong in (target + 5, target[:4]):
        try:
            loss(options(batch_chunk_size=4), wrong)
        except RuntimeError as error:
            print(error)
