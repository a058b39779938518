"""Ops of a program's own: their names, what they take, and what they do to versions and gradients."""

from __future__ import annotations

from typing import Any


def _say(call: Any) -> None:
    try:
        print(call())
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        print(type(error).__name__, error)


def names(torch: Any) -> None:
    library = torch.library.Library("snippets_names", "FRAGMENT")
    if not hasattr(torch.ops.snippets_names, "double"):
        library.define("double(Tensor x, *, float scale=2.0) -> Tensor")
        library.impl("double", lambda x, *, scale=2.0: x * scale, "CPU")
    op = torch.ops.snippets_names.double
    print(op, repr(op), repr(op.default), op.overloads(), op.default.name(), op.default._schema, library)
    print(type(op).__name__, op.default.namespace, op.default.overloadpacket is op)
    x = torch.ones(2)
    for call in (lambda: op(x), lambda: op.default(x, scale=3.0), lambda: op(), lambda: op("a"),
                 lambda: op(x, 3.0), lambda: op(x, scale="b"), lambda: op(x, size=3),
                 lambda: torch.ops.snippets_names.triple,
                 lambda: torch.library.Library("a", "X"),
                 lambda: torch.library.Library("prim", "DEF")):  # fmt: skip
        _say(call)


def writing(torch: Any) -> None:
    def body(x: Any) -> None:
        x.add_(1)

    body.__annotations__ = {"x": torch.Tensor, "return": None}
    op = torch.library.custom_op("snippets_writing::increase", body, mutates_args={"x"})
    x = torch.zeros(2)
    op(x)
    print(x, x._version, op)
    y = torch.ones(2, requires_grad=True) * 2
    op(y)
    print(y.detach(), y._version)


def shapes_alone(torch: Any) -> None:
    def body(x: Any) -> Any:
        return x * 2

    body.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    op = torch.library.custom_op("snippets_shapes::twice", body, mutates_args=())
    _say(lambda: op(torch.ones(2, device="meta")))
    op.register_fake(lambda x: torch.empty_like(x))
    _say(lambda: op(torch.ones(2, device="meta")))
    _say(lambda: op(torch.ones(2, requires_grad=True)).sum().backward())
