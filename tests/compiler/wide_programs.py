"""Random programs on arrays that are worth cutting into parts: products, norms, activations, sums, views.

Their steps become chains, groups and parts (`chains`, `groups`, `parallel`), which small arrays do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as torch

F = torch.nn.functional

#: Steps of a program.
KINDS = ["product", "product", "same", "across", "across", "sum", "attention", "bias", "mixed"]
#: What a value of (rows, columns) becomes, in one shape.
SAME: list[Callable[[Any], Any]] = [
    F.relu, F.gelu, torch.tanh, lambda t: t * torch.sigmoid(t), lambda t: F.layer_norm(t, t.shape[-1:]),
    lambda t: t.softmax(-1) * t.shape[-1], lambda t: t - t.mean(-1, keepdim=True),
    lambda t: t - t.mean(0, keepdim=True), lambda t: t / (1 + t.abs().amax(-1, keepdim=True)),
    lambda t: t + t.sum(-2, keepdim=True).tanh(), lambda t: t.flip(0), lambda t: t.flip(-1) * 0.5,
    lambda t: t.roll(1, 0), lambda t: t.roll(3, -1), lambda t: t.cumsum(-1) * 0.1,
    lambda t: torch.cat([t[1:], t[:1]]), lambda t: t.reshape(t.shape[::-1]).transpose(0, 1) * 0.7,
    lambda t: t.view(-1, 2, t.shape[-1]).flip(1).reshape(t.shape), lambda t: t.clamp(-1, 1) + t,
    lambda t: t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + 1e-3),
]  # fmt: skip

#: The same for what other rows read, or other parts of a row.
ACROSS: list[Callable[[Any], Any]] = [
    lambda t: t + t.roll(1, 0), lambda t: t - 0.5 * t.flip(0), lambda t: t + torch.cat([t[5:], t[:5]]),
    lambda t: t.view(-1, 32, t.shape[-1]).softmax(1).view(t.shape) + t,
    lambda t: F.layer_norm(t.view(-1, 32, t.shape[-1]).mT, (32,)).mT.reshape(t.shape),
    lambda t: t + t.view(-1, 16, t.shape[-1]).transpose(0, 1).reshape(t.shape),
    lambda t: t + t.view(2, -1, t.shape[-1]).amax(0).repeat(2, 1).tanh(),
]


def _attention(t: Any, heads: int) -> Any:
    """Attention among stretches of 32 rows."""
    q = t.reshape(-1, 32, heads, t.shape[-1] // heads).transpose(1, 2)
    return F.scaled_dot_product_attention(q, q.tanh(), q).transpose(1, 2).reshape(t.shape)


def _mixed(t: Any) -> Any:
    """A product over the rows of each stretch."""
    batch = t.view(-1, 32, t.shape[-1])
    means = (batch.transpose(1, 2) @ batch.tanh()).mean((1, 2), keepdim=True)
    return means.expand_as(batch).reshape(t.shape) + t


def program(seed: int) -> tuple[Callable[..., Any], list[tuple[int, ...]]]:
    """A function of tensors, which gives a loss and a value, and their shapes."""
    random = np.random.default_rng(seed)
    rows, widths = int(random.choice([192, 384, 512])), random.choice([48, 64, 128, 192], 2)
    shapes: list[tuple[int, ...]] = [(rows, int(random.choice(widths)))]
    last, values = shapes[0][1], [shapes[0][1]]
    lines: list[tuple[str, int, Any]] = []
    for _ in range(int(random.integers(4, 14))):
        kind = random.choice(KINDS)
        source = len(values) - 1 if random.random() < 0.7 else int(random.integers(len(values)))
        last, detail = values[source], None
        if kind == "product":
            shapes.append((last, int(random.choice(widths))))
            detail, last = len(shapes) - 1, shapes[-1][1]
        elif kind == "bias":
            shapes.append((last,))
            detail = len(shapes) - 1
        elif kind == "same":
            detail = int(random.integers(len(SAME)))
        elif kind == "across":
            detail = int(random.integers(len(ACROSS)))
        elif kind == "sum":
            detail = int(random.choice([n for n, width in enumerate(values) if width == last]))
        elif kind == "attention":
            detail = int(random.choice([1, 4]))
        lines.append((str(kind), source, detail))
        values.append(last)

    def function(*leaves: Any) -> Any:
        made = [leaves[0]]
        for kind, source, detail in lines:
            t = made[source]
            if kind == "product":
                t = t @ leaves[detail] * t.shape[-1] ** -0.5
            elif kind == "bias":
                t = t + leaves[detail]
            elif kind == "same":
                t = SAME[detail](t)
            elif kind == "across":
                t = ACROSS[detail](F.gelu(t))
            elif kind == "sum":
                t = t + made[detail]
            elif kind == "attention":
                t = _attention(t, detail)
            else:
                t = _mixed(t)
            made.append(t)
        loss = (made[-1] * made[-1].detach().tanh()).mean() + made[len(made) // 2].tanh().mean()
        return loss, made[-1]

    return function, shapes


def with_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which gives the gradients of its loss, too."""

    def step(*leaves: Any) -> Any:
        loss, value = function(*leaves)
        return loss, value, *torch.autograd.grad(loss, leaves, allow_unused=True, retain_graph=True)

    return step


def arguments(shapes: list[tuple[int, ...]], call: int) -> list[Any]:
    """Tensors for a call."""
    random = np.random.default_rng(call)
    return [torch.tensor(random.standard_normal(shape)).requires_grad_() for shape in shapes]


def differences(seed: int, calls: int = 3) -> list[str]:
    """What a program does otherwise than eager, and what depends on threads; its backward pass is a part of
    it, or a program of its own.
    """
    function, shapes = program(seed)
    step = with_gradients(function)
    found = []
    natives = [torch.compile(step if seed % 2 else function, backend="native") for _ in range(2)]
    compiled = natives if seed % 2 else [with_gradients(run) for run in natives]
    before = torch.get_num_threads()
    for call in range(calls):
        given = arguments(shapes, call)
        results = []
        try:
            for threads, run in enumerate(compiled, start=1):
                torch.set_num_threads(threads)
                results.append([None if t is None else t.detach().numpy() for t in run(*given)])
        finally:
            torch.set_num_threads(before)
        for n, (want, one, two) in enumerate(zip(step(*given), *results, strict=True)):
            if want is None:
                continue
            exact = want.detach().numpy()
            far = np.abs(one - exact).max() / max(1.0, np.abs(exact).max())
            if not far < 1e-10:
                found.append(f"call {call}: result {n} is off by {far:.1e}")
            if not np.array_equal(one, two, equal_nan=True):
                found.append(f"call {call}: result {n} depends on threads")
    return found + [str(run._native.eager_because) for run in natives if run._native.eager_because]
