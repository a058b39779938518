"""`backward` and `grad`: accumulation, retained graphs, graphs of gradients."""

from __future__ import annotations

from typing import Any

T = Any


def scalar(torch: T) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    y = x**2
    print(y)
    y.backward()
    print(x.grad)


def vector_with_gradient(torch: T) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    y.backward(torch.tensor([1.0, 0.1, 0.01]))
    print(x.grad)


def gradient_by_keyword(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).backward(gradient=torch.tensor([1.0, 2.0]))
    print(x.grad)


def gradient_of_ones_equals_sum(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).backward(torch.ones_like(x))
    first = x.grad.clone()
    x.grad = None
    (x * x).sum().backward()
    print(first, x.grad)


def matrix_product(torch: T) -> None:
    a = torch.arange(6.0).view(2, 3).requires_grad_()
    b = torch.arange(12.0).view(3, 4).requires_grad_()
    torch.mm(a, b).backward(torch.arange(8.0).view(2, 4))
    print(a.grad)
    print(b.grad)


def accumulation(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    for _ in range(3):
        (x * 2).sum().backward()
        print(x.grad)


def grad_keeps_its_identity(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    print(x.grad is first, first, first._version)


def grad_changes_identity_with_create_graph(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x * x).sum().backward(create_graph=True)
    print(x.grad is first, first, x.grad)


def grad_is_not_the_covector(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    v = torch.ones(2)
    (x + 0).backward(v)
    x.grad.mul_(5)
    print(v, x.grad)


def grads_of_a_sum_do_not_share_memory(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, requires_grad=True)
    (x + y).backward(torch.ones(2))
    x.grad.mul_(5)
    print(x.grad, y.grad)


def grad_properties(torch: T) -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    print(x.grad)
    (x * 2).sum().backward()
    print(x.grad.dtype, x.grad.requires_grad, x.grad.is_leaf, x.grad.grad_fn, x.grad._version)


def grad_set_by_hand(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.tensor([10.0, 20.0])
    (x * 2).sum().backward()
    print(x.grad)
    del x.grad
    print(x.grad)


def zero_grad(torch: T) -> None:
    layer = torch.nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    layer.zero_grad()
    print(layer.weight.grad)
    layer(torch.ones(1, 2)).sum().backward()
    layer.zero_grad(set_to_none=False)
    print(layer.weight.grad)


def retain_graph(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp().log()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    print(x.grad)


def shared_part_without_saved_values(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    shared = x + 1
    (shared * 2).backward()
    (shared * 3).backward()
    print(x.grad)


def several_outputs(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.backward([x.sum(), x * 2], [None, torch.tensor([10.0, 100.0])])
    print(x.grad)


def grad_tensors_as_one_tensor(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.backward(x * 2, torch.tensor([10.0, 100.0]))
    print(x.grad)


def inputs_limit_what_accumulates(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    w = torch.tensor(2.0, requires_grad=True)
    (x * w).backward(inputs=[w])
    print(x.grad, w.grad)


def inputs_may_be_intermediate(torch: T) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    h = x * 3
    (h * h).backward(inputs=h)
    print(x.grad, h.grad)


def grad_returns_and_does_not_accumulate(torch: T) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    print(torch.autograd.grad(x**2, x), x.grad)


def grad_of_several(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    print(torch.autograd.grad((x * w).sum(), (x, w)))


def grad_with_respect_to_intermediate(torch: T) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    h = x**2
    y = h * 5
    print(torch.autograd.grad(y, [h, x]))


def grad_with_respect_to_the_output(torch: T) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    y = x**2
    print(torch.autograd.grad(y, [y, x]))


def grad_of_unused(torch: T) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    z = torch.tensor([1.0, 2.0], requires_grad=True)
    print(torch.autograd.grad(x * 2, [x, z], allow_unused=True))
    print(torch.autograd.grad(x * 2, [x, z], materialize_grads=True))


def grad_of_outputs_adds(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    print(torch.autograd.grad([x.sum(), (x * x).sum()], x))


def grad_batched(torch: T) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    print(torch.autograd.grad(x**2, x, torch.eye(3), is_grads_batched=True))


def create_graph(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    print(first)
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    print(second)
    print(torch.autograd.grad(second, x))


def create_graph_names(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    for y in (x * x, x.exp(), x.sin(), x**3, x / 2, x + 1, x.log(), x.sqrt(), 1 / x):
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        print(y.grad_fn.name(), g.requires_grad, g.grad_fn.name() if g.grad_fn else None)


def double_backward_accumulates(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    (x**3).backward(create_graph=True)
    print(x.grad)
    x.grad.backward()
    print(x.grad)


def hessian_by_hand(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x[0] ** 2) * x[1]
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    print(torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)]))


def gradient_penalty(torch: T) -> None:
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    (g,) = torch.autograd.grad((x * x).sum() / 2, x, create_graph=True)
    (g.norm() - 1).pow(2).backward()
    print(x.grad)


def create_graph_with_covector_that_requires_grad(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([3.0, 4.0], requires_grad=True)
    (g,) = torch.autograd.grad(x * x, x, v, create_graph=True)
    print(g)
    print(torch.autograd.grad(g.sum(), v))


def forward_mode_by_two_reverse_passes(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.zeros(2, requires_grad=True)
    (g,) = torch.autograd.grad(x**3, x, v, create_graph=True)
    print(torch.autograd.grad(g, v, torch.tensor([1.0, 10.0])))


def integers_take_no_part(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    n = torch.tensor([3, 4])
    (x * n).sum().backward()
    print(x.grad, n.grad)


def gradient_has_the_dtype_of_the_input(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    h = torch.ones(2, dtype=torch.float16, requires_grad=True)
    (x * y + h).sum().backward()
    print(x.grad, y.grad, h.grad)


def gradient_has_the_shape_of_the_input(torch: T) -> None:
    a = torch.ones(3, 1, requires_grad=True)
    b = torch.ones(4, requires_grad=True)
    c = torch.tensor(1.0, requires_grad=True)
    (a * b * c).sum().backward()
    print(a.grad.shape, b.grad.shape, c.grad)


def complex_gradient(torch: T) -> None:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (z.abs() ** 2).sum().backward()
    print(z.grad)


def complex_holomorphic(torch: T) -> None:
    z = torch.tensor(1 + 2j, requires_grad=True)
    (z * z).backward(torch.tensor(1.0 + 0j))
    print(z.grad)


def complex_from_real(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x * (1 + 1j)
    z.imag.sum().backward()
    print(z, x.grad)


def ties_share(torch: T) -> None:
    for f in (torch.max, torch.min, torch.amax, torch.median):
        x = torch.tensor([2.0, 5.0, 5.0, 2.0], requires_grad=True)
        f(x).backward()
        print(x.grad)


def ties_along_a_dimension(torch: T) -> None:
    x = torch.tensor([[2.0, 5.0, 5.0], [2.0, 2.0, 1.0]], requires_grad=True)
    x.max(dim=1).values.sum().backward()
    print(x.grad)


def ties_between_two(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 3.0], requires_grad=True)
    torch.maximum(x, y).sum().backward()
    print(x.grad, y.grad)


def kinks(torch: T) -> None:
    F = torch.nn.functional
    for f in (
        torch.abs,
        torch.relu,
        torch.sign,
        F.hardtanh,
        F.relu6,
        F.leaky_relu,
        F.softshrink,
        F.hardshrink,
        F.elu,
    ):
        x = torch.tensor([-1.0, 0.0, 1.0, 6.0], requires_grad=True)
        f(x).sum().backward()
        print(x.grad)


def infinite_gradients(torch: T) -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    x.sqrt().sum().backward()
    print(x.grad)
    x = torch.tensor([0.0, -1.0], requires_grad=True)
    x.log().sum().backward()
    print(x.grad)


def nan_hidden_by_where(torch: T) -> None:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    torch.where(x > 0, x.log(), x).sum().backward()
    print(x.grad)


def powers_at_zero(torch: T) -> None:
    for exponent in (0, 1, 2, 0.5, -1):
        x = torch.tensor(0.0, requires_grad=True)
        (x**exponent).backward()
        print(exponent, x.grad)


def product_with_zeros(torch: T) -> None:
    for values in ([1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 0.0, 3.0]):
        x = torch.tensor(values, requires_grad=True)
        x.prod().backward()
        print(x.grad)


def norm_at_zero(torch: T) -> None:
    x = torch.zeros(2, requires_grad=True)
    x.norm().backward()
    print(x.grad)


def empty_tensors(torch: T) -> None:
    x = torch.ones(0, 3, requires_grad=True)
    x.sum().backward()
    print(x.grad, x.mean().item(), x.prod())


def clamp_at_the_border(torch: T) -> None:
    x = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0], requires_grad=True)
    x.clamp(0, 1).sum().backward()
    print(x.grad)


def sort_and_gather(torch: T) -> None:
    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, indices = x.sort(descending=True)
    values.backward(torch.tensor([1.0, 10.0, 100.0]))
    print(values, indices, x.grad)


def embedding_accumulates(torch: T) -> None:
    w = torch.zeros(3, 2, requires_grad=True)
    torch.nn.functional.embedding(torch.tensor([0, 2, 2]), w).sum().backward()
    print(w.grad)


def training_step(torch: T) -> None:
    w = torch.tensor([1.0, -1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        optimizer.step()
        print(loss.item(), w)


def lenet_parameters_from_one_covector(torch: T) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 6, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(6, 16, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(400, 120),
        torch.nn.Linear(120, 10),
    )
    out = net(torch.randn(1, 1, 32, 32))
    out.backward(torch.randn(1, 10))
    print(out)
    print(len(list(net.parameters())), net[0].bias.grad)
