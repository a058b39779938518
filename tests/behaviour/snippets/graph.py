"""Nodes: edges, what they save, leaves and version counters."""

from __future__ import annotations

from typing import Any

T = Any


def _name(node: Any) -> str:
    return "None" if node is None else type(node).__name__


def _tree(node: Any, depth: int = 0) -> None:
    """Print a graph as an indented tree."""
    print("  " * depth + _name(node))
    if node is not None:
        for following, _ in node.next_functions:
            _tree(following, depth + 1)


def type_and_name(torch: T) -> None:
    y = torch.ones(2, requires_grad=True) * 2
    print(type(y.grad_fn).__name__, y.grad_fn.name(), isinstance(y.grad_fn, torch.autograd.graph.Node))
    leaf = y.grad_fn.next_functions[0][0]
    print(type(leaf).__name__, leaf.name(), leaf.next_functions)


def tree_of_an_expression(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    y = torch.ones((), requires_grad=True)
    _tree(((x * y + x.exp()) / (y - 3)).sigmoid().grad_fn)


def tree_of_a_layer(torch: T) -> None:
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 2)
    _tree(layer(torch.ones(4, 3)).relu().sum().grad_fn)


def tree_of_a_batch_through_a_layer(torch: T) -> None:
    layer = torch.nn.Linear(3, 2)
    _tree(layer(torch.ones(5, 4, 3)).mean().grad_fn)


def tree_of_a_network(torch: T) -> None:
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(2, 2),
    )
    _tree(torch.nn.functional.cross_entropy(net(torch.ones(1, 1, 4, 4)), torch.tensor([1])).grad_fn)


def tree_after_assignment(torch: T) -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y[0] = x[1] * 3
    _tree(y.sum().grad_fn)


def tree_of_views_after_a_write(torch: T) -> None:
    x = torch.ones(4, requires_grad=True)
    a = x * 2
    first, second = a[:2], a[2:]
    first.mul_(3)
    _tree(second.grad_fn)
    _tree(first.grad_fn)


def tree_with_constants(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    c = torch.ones(2)
    _tree((x * c + c).grad_fn)
    _tree(torch.where(c > 0, c, x).grad_fn)
    _tree(torch.cat([c, x, c]).grad_fn)


def edges(torch: T) -> None:
    x = torch.ones(4, requires_grad=True)
    first, second = x.split(2)
    y = first + second
    print([(_name(node), number) for node, number in y.grad_fn.next_functions])
    print(first.output_nr, second.output_nr, y.output_nr)
    print(first.grad_fn is second.grad_fn)


def edges_to_the_same_leaf(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    y = x * x
    (a, _), (b, _) = y.grad_fn.next_functions
    print(a is b, a.variable is x)
    z = x.exp()
    print(z.grad_fn.next_functions[0][0] is a)


def gradient_edge(torch: T) -> None:
    x = torch.ones((), requires_grad=True)
    y = x * 3
    edge = torch.autograd.graph.get_gradient_edge(y)
    print(_name(edge.node), edge.output_nr)
    print(torch.autograd.grad(edge, x))
    print(torch.autograd.grad(y * 2, edge))


def saved_attributes(torch: T) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0])
    y = x * w
    print(y.grad_fn._saved_self, y.grad_fn._saved_other)
    print((x.exp()).grad_fn._saved_result)
    print((x**3).grad_fn._saved_exponent, (x**3).grad_fn._saved_self)


def saved_attributes_of_reductions(torch: T) -> None:
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    print(x.sum().grad_fn._saved_self_sym_sizes)
    print(x.sum(1, keepdim=True).grad_fn._saved_dim, x.sum(1, keepdim=True).grad_fn._saved_keepdim)


def saved_names(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    for z in (x * x, x.exp(), x.sin(), x + x, x / x, x.relu(), x.sum(), x**2):
        print(z.grad_fn.name(), sorted(name for name in dir(z.grad_fn) if name.startswith("_saved")))


def metadata_of_a_node(torch: T) -> None:
    y = torch.ones(2, requires_grad=True) * 2
    y.grad_fn.metadata["note"] = 7
    print(y.grad_fn.metadata)


def leaves(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    c = torch.ones(2)
    for z in (
        x,
        c,
        x * 2,
        c * 2,
        x.detach(),
        x.data,
        x.clone(),
        (x * 2).detach(),
        torch.nn.Parameter(c),
        x[0],
        c[0],
    ):
        print(z.is_leaf, z.requires_grad, _name(z.grad_fn))


def leaf_by_requires_grad_in_the_middle(torch: T) -> None:
    x = torch.ones(2)
    y = x * 2
    y.requires_grad_()
    z = y.sum() + x.sum()
    z.backward()
    print(x.grad, y.grad, y.is_leaf)


def detached_in_place(torch: T) -> None:
    y = torch.ones(2, requires_grad=True) * 2
    print(y.is_leaf, y.requires_grad)
    print(y.detach_() is y, y.is_leaf, y.requires_grad, y.grad_fn)


def versions(torch: T) -> None:
    x = torch.ones(2, 2)
    print(x._version)
    x.add_(1)
    x[0] = 3
    x[0, 0] += 1
    x *= 2
    print(x._version)
    x.data.add_(1)
    x.numpy()[0] = 3
    print(x._version)


def versions_are_shared_with_views_and_detached(torch: T) -> None:
    x = torch.ones(2, 2)
    view, detached, data, copy = x[0], x.detach(), x.data, x.clone()
    view.add_(1)
    print([t._version for t in (x, view, detached, data, copy)])
    detached.add_(1)
    print([t._version for t in (x, view, detached, data, copy)])
    data.add_(1)
    print([t._version for t in (x, view, detached, data, copy)])


def version_of_each_update(torch: T) -> None:
    for update in (
        lambda a: a.add_(1),
        lambda a: a.zero_(),
        lambda a: a.copy_(a.clone()),
        lambda a: a.t_(),
        lambda a: a.relu_(),
        lambda a: a.fill_(1),
        lambda a: a.__setitem__(0, 1),
        lambda a: a.detach_(),
        lambda a: a.requires_grad_(),
        lambda a: torch.add(a, 1, out=a),
        lambda a: a.squeeze_(),
        lambda a: a.uniform_(),
        lambda a: a.masked_fill_(a > 0, 1),
        lambda a: a[0].add_(1),
        lambda a: a.view(-1).mul_(2),
        lambda a: setattr(a, "data", torch.ones(2, 2)),
    ):
        a = torch.ones(2, 2)
        update(a)
        print(a._version)


def increment_version(torch: T) -> None:
    x = torch.ones(2)
    torch.autograd.graph.increment_version(x)
    print(x._version)
    torch.autograd.graph.increment_version([x, x])
    print(x._version)


def requires_grad_spreads(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    c = torch.ones(2)
    print(
        (x + c).requires_grad,
        (c + c).requires_grad,
        x.detach().requires_grad,
        torch.ones_like(x).requires_grad,
    )
    print(x.new_zeros(2).requires_grad, torch.empty_like(x, requires_grad=True).requires_grad)
    c += x
    print(c.requires_grad, c.is_leaf, c.grad_fn.name())


def a_long_chain(torch: T) -> None:
    x = torch.ones((), dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(20000):
        y = y + 0.5
    y.backward()
    print(y.item(), x.grad)


def the_same_tensor_many_times(torch: T) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(10):
        y = y + y
    y.backward()
    print(y, x.grad)
