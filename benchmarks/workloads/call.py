"""What a call of a compiled function costs: ten tensors of 4×4, so that next to nothing is computed.

The sum of ten arguments; the same sum of squares with its gradients; a step of SGD on ten parameters.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.case import Case, Library, Row

COUNT, SHAPE, RATE = 10, (4, 4), 1e-6


def _arrays() -> list[np.ndarray]:
    return [np.full(SHAPE, 1.0 + n, np.float32) for n in range(COUNT)]


def _squares(xs: Any) -> Any:
    return sum(x * x for x in xs).sum()


def torch_like(which: str, library: Library) -> Case:
    torch = library.module
    leaves = [torch.tensor(array, requires_grad=which != "forward") for array in _arrays()]
    if which == "forward":
        call = library.compile(lambda *xs: sum(xs))
        return Case(lambda: call(*leaves), lambda y: y.sum().item())
    optimizer = torch.optim.SGD(leaves, lr=RATE)
    squares = library.part(lambda *xs: _squares(xs))

    def gradient() -> Any:
        for leaf in leaves:
            leaf.grad = None
        value = squares(*leaves)
        value.backward()
        return value

    def step() -> Any:
        optimizer.zero_grad()
        value = squares(*leaves)
        value.backward()
        optimizer.step()
        return value

    return Case(library.step(gradient if which == "grad" else step), lambda value: value.item())


def jax(which: str, library: Library) -> Case:
    jax = library.module
    leaves = [jax.numpy.asarray(array) for array in _arrays()]
    if which == "forward":
        add = jax.jit(lambda *xs: sum(xs))
        return Case(lambda: add(*leaves).block_until_ready(), lambda y: float(y.sum()))
    both = jax.value_and_grad(_squares)
    if which == "grad":
        call = jax.jit(both)
        return Case(lambda: jax.block_until_ready(call(leaves)), lambda result: float(result[0]))

    def advance(leaves: Any) -> Any:
        value, gradients = both(leaves)
        return [x - RATE * g for x, g in zip(leaves, gradients, strict=True)], value

    compiled = jax.jit(advance, donate_argnums=0)

    def step() -> Any:
        nonlocal leaves
        leaves, value = jax.block_until_ready(compiled(leaves))
        return value

    return Case(step, float)


ROWS = [
    Row(f"q-call-{which}", title, {"torch": partial(torch_like, which), "jax": partial(jax, which)})
    for which, title in (
        ("forward", "a call with ten small tensors"),
        ("grad", "a call with ten small tensors, and gradients"),
        ("step", "a step of SGD on ten small parameters"),
    )
]
