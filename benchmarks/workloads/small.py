"""(a) Single small ops: what one call costs, forward only and forward + backward.

0-d, 8×8 and 64×64 float32. The backward row calls ``y.backward(v)`` (or the peer's vector-Jacobian product)
with a covector ``v`` that exists beforehand and drops the old gradients first, for all inputs of the op.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.case import Case, Library, Row

SHAPES: dict[str, tuple[int, ...]] = {"0d": (), "8x8": (8, 8), "64x64": (64, 64)}

Op = Callable[..., Any]


def _op(name: str, tanh: Op) -> tuple[int, Op]:
    """Number of inputs, and the op as a user writes it."""
    operators: dict[str, tuple[int, Op]] = {
        "mul": (2, lambda x, w: x * w),
        "add": (2, lambda x, w: x + w),
        "tanh": (1, lambda x: tanh(x)),
        "matmul": (2, lambda x, w: x @ w),
        "index": (1, lambda x: x[2]),
    }
    return operators[name]


def _inputs(name: str, shape: tuple[int, ...], count: int) -> tuple[list[data.Array], data.Array]:
    """Arrays for the inputs and for the covector of the output."""
    values = data.normal(count + 1, *shape)
    covector = values[count][2] if name == "index" else values[count]
    return [np.asarray(value) for value in values[:count]], np.asarray(covector)


def torch_like(name: str, shape: tuple[int, ...], backward: bool, library: Library) -> Case:
    torch = library.module
    count, function = _op(name, torch.tanh)
    arrays, covector = _inputs(name, shape, count)
    inputs = [torch.tensor(array, requires_grad=backward) for array in arrays]
    v = torch.tensor(covector)
    if not backward:
        call = library.compile(function)
        if count == 1:
            (x,) = inputs
            return Case(lambda: call(x), lambda y: y.sum().item())
        x, w = inputs
        return Case(lambda: call(x, w), lambda y: y.sum().item())

    call = library.part(function)

    def unary() -> Any:
        x.grad = None
        call(x).backward(v)
        return x.grad

    def binary() -> Any:
        x.grad = w.grad = None
        call(x, w).backward(v)
        return x.grad

    x, w = inputs[0], inputs[-1]
    return Case(library.step(unary if count == 1 else binary), lambda gradient: gradient.sum().item())


def jax(name: str, shape: tuple[int, ...], backward: bool, library: Library) -> Case:
    jax = library.module
    count, function = _op(name, jax.numpy.tanh)
    arrays, covector = _inputs(name, shape, count)
    inputs = [jax.numpy.asarray(array) for array in arrays]
    v = jax.numpy.asarray(covector)
    if not backward:
        call = jax.jit(function)
        return Case(lambda: call(*inputs).block_until_ready(), lambda y: float(y.sum()))

    @jax.jit
    def pull(v: Any, *inputs: Any) -> Any:
        y, pullback = jax.vjp(function, *inputs)
        return y, pullback(v)

    return Case(lambda: jax.block_until_ready(pull(v, *inputs)), lambda result: float(result[1][0].sum()))


def autograd(name: str, shape: tuple[int, ...], backward: bool, library: Library) -> Case:
    import autograd.numpy as anp

    count, function = _op(name, anp.tanh)
    inputs, v = _inputs(name, shape, count)
    if not backward:
        return Case(lambda: function(*inputs), lambda y: float(y.sum()))
    prepare = library.module.make_vjp(function, 0 if count == 1 else (0, 1))

    def step() -> Any:
        pull, _ = prepare(*inputs)
        return pull(v)

    return Case(step, lambda result: float((result if count == 1 else result[0]).sum()))


def mygrad(name: str, shape: tuple[int, ...], backward: bool, library: Library) -> Case:
    mg = library.module
    count, function = _op(name, mg.tanh)
    arrays, v = _inputs(name, shape, count)
    inputs = [mg.tensor(array, constant=not backward) for array in arrays]
    if not backward:
        return Case(lambda: function(*inputs), lambda y: float(y.data.sum()))
    x = inputs[0]

    def step() -> Any:
        function(*inputs).backward(v)
        return x.grad

    return Case(step, lambda gradient: float(gradient.sum()))


def tinygrad(name: str, shape: tuple[int, ...], backward: bool, library: Library) -> Case:
    tg = library.module
    count, function = _op(name, lambda x: x.tanh())
    arrays, covector = _inputs(name, shape, count)
    # A 0-d NumPy array would become a constant of the generated program instead of an input.
    inputs = [
        tg.Tensor(array.reshape(1)).reshape(()).realize() if array.ndim == 0 else tg.Tensor(array).realize()
        for array in arrays
    ]
    v = tg.Tensor(covector.reshape(-1)).reshape(covector.shape).realize()

    @tg.TinyJit
    def call(v: Any, *inputs: Any) -> Any:
        y = function(*inputs)
        if not backward:
            return (y.realize(),)
        gradients = y.gradient(*inputs, gradient=v)
        tg.Tensor.realize(y, *gradients)
        return gradients

    def step() -> Any:
        result = call(v, *inputs)
        tg.Device[tg.Device.DEFAULT].synchronize()
        return result

    return Case(step, lambda result: float(result[0].numpy().sum()))


def _rows() -> list[Row]:
    rows = []
    families = {"torch": torch_like, "jax": jax, "autograd": autograd, "mygrad": mygrad, "tinygrad": tinygrad}
    for name in ("mul", "add", "tanh", "matmul", "index"):
        for label, shape in SHAPES.items():
            if shape == () and name in ("matmul", "index"):
                continue
            for backward in (False, True):
                what = "forward + backward" if backward else "forward"
                rows.append(
                    Row(
                        f"a-{name}-{label}" + ("-grad" if backward else ""),
                        f"{name} {label.replace('x', '×')}, {what}",
                        {family: partial(build, name, shape, backward) for family, build in families.items()},
                        target=0.9 if backward and label != "64x64" else None,
                    )
                )
    return rows


ROWS = _rows()
