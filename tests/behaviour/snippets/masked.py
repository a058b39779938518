"""Masked tensors: making, printing, ops, reductions and gradients."""

from __future__ import annotations

from typing import Any


def _made(torch: Any, **options: Any) -> Any:
    data = torch.arange(6.0).reshape(2, 3) - 2
    mask = torch.tensor([[True, False, True], [False, False, False]])
    return torch.masked.masked_tensor(data, mask, **options)


def _say(call: Any) -> None:
    try:
        print(call())
    except (RuntimeError, TypeError, ValueError) as error:
        print(type(error).__name__, error)


def making(torch: Any) -> None:
    m, made = torch.masked, _made(torch)
    data, mask = made.get_data(), made.get_mask()
    print(made, m.masked_tensor(data.int(), mask), m.masked_tensor(data > 0, mask))
    print(m.masked_tensor(torch.tensor(3.0), mask[0, 0]), m.masked_tensor(torch.tensor(3), mask[0, 1]))
    print(m.masked_tensor(torch.arange(8).reshape(2, 2, 2), torch.arange(8).reshape(2, 2, 2) % 2 == 0))
    print(data, mask, made.to_tensor(9.0), m.is_masked_tensor(made), made.shape, made.dtype, len(made))
    for call in (
        lambda: m.masked_tensor(data, mask.int()), lambda: m.masked_tensor(data, mask[0]),
        lambda: m.masked_tensor(3, mask), lambda: m.masked_tensor(made, mask),
        lambda: m.masked_tensor(data.cfloat(), mask), lambda: m.masked_tensor(data, mask[:, :2]),
        lambda: made.item(), lambda: made.tolist(), lambda: made.numpy(),
    ):  # fmt: skip
        _say(call)


def elements(torch: Any) -> None:
    x = _made(torch)
    other = torch.masked.masked_tensor(x.get_data(), ~x.get_mask())
    for call in (
        lambda: x + 1, lambda: x * x, lambda: 1 - x, lambda: x / 2, lambda: x + torch.ones(3),
        lambda: x @ x.t(),
        lambda: x.exp(), lambda: torch.sqrt(x), lambda: -x, lambda: x**2, lambda: x.clamp(0, 1),
        lambda: x > 0, lambda: x < 0, lambda: torch.maximum(x, x), lambda: x + other, lambda: x.sigmoid(),
        lambda: torch.add(x, x, alpha=2), lambda: x.double(), lambda: x.int(), lambda: torch.ones_like(x),
        lambda: x[0], lambda: x[:, 1:], lambda: x.t(), lambda: x.reshape(6), lambda: torch.stack([x, x]),
        lambda: x.split(1), lambda: x.clone().add_(1), lambda: x.relu(), lambda: x.cumsum(0),
        lambda: torch.where(x.get_mask(), x, x * 2), lambda: x[x.get_mask()],
    ):  # fmt: skip
        _say(call)


def reductions(torch: Any) -> None:
    x, m = _made(torch), torch.masked
    for call in (
        lambda: x.sum(), lambda: x.sum(0), lambda: x.sum(dim=1, keepdim=True), lambda: torch.sum(x, 1),
        lambda: x.mean(), lambda: x.mean(1), lambda: x.amax(1), lambda: x.amin(), lambda: x.prod(0),
        lambda: x.argmax(1), lambda: x.argmin(), lambda: x.var(1), lambda: x.std(), lambda: (x > 0).all(1),
        lambda: x.softmax(1), lambda: x.sum().item(), lambda: m.sum(x), lambda: m.mean(x, 1),
        lambda: m.amax(x, 1), lambda: x.max(),
    ):  # fmt: skip
        _say(call)


def gradients(torch: Any) -> None:
    mask = torch.tensor([True, False, True])
    leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    torch.masked.as_masked_tensor(leaf, mask).mean().backward()
    print(leaf.grad, type(leaf.grad).__name__)
    for function in (lambda x: (x**2).sum(1), lambda x: x.get_data(), lambda x: x.mean(1),
                     lambda x: x.amax(1), lambda x: x.softmax(1) ** 2, lambda x: x.exp() * 2):  # fmt: skip
        x = _made(torch, requires_grad=True)
        function(x).sum().backward()
        print(x.grad)
    x, factor = _made(torch, requires_grad=True), torch.ones(3, requires_grad=True)
    (x * factor).sum().backward()
    print(x.grad, factor.grad)
    x = torch.masked.masked_tensor(torch.tensor([0.0, 1.0]), torch.tensor([False, True]), requires_grad=True)
    y = torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False]), requires_grad=True)
    torch.where(x.get_mask(), x.exp(), y).sum().backward()
    print(x.grad, y.grad)
