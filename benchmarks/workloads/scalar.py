"""(b) and (c): long graphs of 0-d tensors, where the cost of an op is all that counts.

(b) A chain of 200 ops, ``y·x``, ``y + x``, ``sin y``, ``tanh y`` in turn, and its derivative.
(c) The Lorenz system

    dx/dt = σ·(y - x),   dy/dt = x·(ρ - z) - y,   dz/dt = x·y - β·z

integrated by 200 Euler steps of 0.01; the gradient of the end state's sum by the initial state and the
parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.case import Case, Library, Row

START = 0.7
LORENZ = (1.0, 1.5, 20.0, 10.0, 28.0, 8.0 / 3.0)
STEPS, INTERVAL = 200, 0.01


def chain(sin: Callable[[Any], Any], tanh: Callable[[Any], Any], x: Any) -> Any:
    y = x
    for _ in range(50):
        y = y * x
        y = y + x
        y = sin(y)
        y = tanh(y)
    return y


def lorenz(x: Any, y: Any, z: Any, sigma: Any, rho: Any, beta: Any) -> Any:
    for _ in range(STEPS):
        dx = sigma * (y - x)
        dy = x * (rho - z) - y
        dz = x * y - beta * z
        x = x + INTERVAL * dx
        y = y + INTERVAL * dy
        z = z + INTERVAL * dz
    return x + y + z


def torch_like(which: str, library: Library) -> Case:
    torch = library.module
    function = partial(chain, torch.sin, torch.tanh) if which == "chain" else lorenz
    call = library.part(function)
    values = (START,) if which == "chain" else LORENZ
    leaves = [torch.tensor(value, requires_grad=True) for value in values]

    def step() -> Any:
        for leaf in leaves:
            leaf.grad = None
        call(*leaves).backward()
        return leaves[0].grad

    return Case(library.step(step), lambda gradient: gradient.item())


def jax(which: str, library: Library) -> Case:
    jax = library.module
    if which == "chain":
        function: Callable[..., Any] = partial(chain, jax.numpy.sin, jax.numpy.tanh)
        values: tuple[float, ...] = (START,)
    else:
        function, values = lorenz, LORENZ
    gradient = jax.jit(jax.value_and_grad(function, argnums=tuple(range(len(values)))))
    leaves = [jax.numpy.float32(value) for value in values]
    return Case(lambda: jax.block_until_ready(gradient(*leaves)), lambda result: float(result[1][0]))


def autograd(which: str, library: Library) -> Case:
    import autograd.numpy as anp

    function = partial(chain, anp.sin, anp.tanh) if which == "chain" else lorenz
    values = (START,) if which == "chain" else LORENZ
    gradient = library.module.value_and_grad(function, tuple(range(len(values))))
    leaves = [np.float32(value) for value in values]
    return Case(lambda: gradient(*leaves), lambda result: float(result[1][0]))


def mygrad(which: str, library: Library) -> Case:
    mg = library.module
    function = partial(chain, mg.sin, mg.tanh) if which == "chain" else lorenz
    leaves = [mg.tensor(np.float32(value)) for value in ((START,) if which == "chain" else LORENZ)]

    def step() -> Any:
        function(*leaves).backward()
        return leaves[0].grad

    return Case(step, float)


def tinygrad(which: str, library: Library) -> Case:
    tg = library.module
    function: Callable[..., Any] = partial(chain, lambda y: y.sin(), lambda y: y.tanh())
    # A 0-d NumPy array would become a constant of the generated program instead of an input.
    leaf = tg.Tensor(np.array([START], np.float32)).reshape(()).realize()

    @tg.TinyJit
    def call(x: Any) -> Any:
        y = function(x)
        (gradient,) = y.gradient(x)
        tg.Tensor.realize(y, gradient)
        return gradient

    def step() -> Any:
        gradient = call(leaf)
        tg.Device[tg.Device.DEFAULT].synchronize()
        return gradient

    return Case(step, lambda gradient: float(gradient.numpy()))


def _families(which: str) -> dict[str, Callable[[Library], Case]]:
    families = {"torch": torch_like, "jax": jax, "autograd": autograd, "mygrad": mygrad}
    return {family: partial(build, which) for family, build in families.items()}


ROWS = [
    Row(
        "b",
        "chain of 200 scalar ops",
        _families("chain") | {"tinygrad": partial(tinygrad, "chain")},
        target=0.7,
    ),
    Row("c", "Lorenz system, 200 Euler steps on 0-d tensors", _families("lorenz"), target=0.9),
]
