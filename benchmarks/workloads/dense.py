"""(j) and (k): few ops on large arrays, where memory bandwidth decides.

(j) ``sum(sin(x)·exp(x) + tanh(x)/(1 + x²))`` over 4 million elements and its gradient.
(k) One gradient step of logistic regression on 100,000 rows of 100 features.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.case import Case, Library, Row
from benchmarks.workloads import training

ELEMENTS = 4_000_000
ROW_COUNT, FEATURES = 100_000, 100


def formula(sin: Any, exp: Any, tanh: Any, x: Any) -> Any:
    return (sin(x) * exp(x) + tanh(x) / (1 + x * x)).sum()


def torch_formula(library: Library) -> Case:
    torch = library.module
    x = torch.from_numpy(data.normal(ELEMENTS)).requires_grad_()
    call = library.part(partial(formula, torch.sin, torch.exp, torch.tanh))

    def step() -> Any:
        x.grad = None
        call(x).backward()
        return x.grad

    return Case(library.step(step), lambda gradient: gradient.sum().item())


def jax_formula(library: Library) -> Case:
    jnp = library.module.numpy
    gradient = library.module.jit(library.module.value_and_grad(partial(formula, jnp.sin, jnp.exp, jnp.tanh)))
    x = jnp.asarray(data.normal(ELEMENTS))
    return Case(lambda: library.module.block_until_ready(gradient(x)), lambda result: float(result[1].sum()))


def autograd_formula(library: Library) -> Case:
    import autograd.numpy as anp

    gradient = library.module.value_and_grad(lambda x: anp.sum(formula_array(anp, x)))
    x = data.normal(ELEMENTS)
    return Case(lambda: gradient(x), lambda result: float(result[1].sum()))


def formula_array(anp: Any, x: Any) -> Any:
    return anp.sin(x) * anp.exp(x) + anp.tanh(x) / (1 + x * x)


def mygrad_formula(library: Library) -> Case:
    mg = library.module
    x = mg.tensor(data.normal(ELEMENTS))

    def step() -> Any:
        formula(mg.sin, mg.exp, mg.tanh, x).backward()
        return x.grad

    return Case(step, lambda gradient: float(gradient.sum()))


def tinygrad_formula(library: Library) -> Case:
    tg = library.module
    x = tg.Tensor(data.normal(ELEMENTS)).realize()

    @tg.TinyJit
    def call(x: Any) -> Any:
        y = formula(lambda t: t.sin(), lambda t: t.exp(), lambda t: t.tanh(), x)
        (gradient,) = y.gradient(x)
        tg.Tensor.realize(y, gradient)
        return gradient

    def step() -> Any:
        gradient = call(x)
        tg.Device[tg.Device.DEFAULT].synchronize()
        return gradient

    return Case(step, lambda gradient: float(gradient.numpy().sum()))


def _regression() -> tuple[data.Parameters, data.Array, data.Array]:
    rows = data.normal(ROW_COUNT, FEATURES)
    target = (rows @ data.normal(FEATURES) > 0).astype(np.float32)
    return {"weight": np.zeros(FEATURES, np.float32), "bias": np.zeros((), np.float32)}, rows, target


def torch_regression(library: Library) -> Case:
    torch = library.module
    parameters, rows, target = _regression()
    loss_function = torch.nn.functional.binary_cross_entropy_with_logits

    class Model(torch.nn.Module):  # type: ignore[name-defined]  # the base class is the peer's
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(FEATURES))
            self.bias = torch.nn.Parameter(torch.zeros(()))

        def forward(self, x: Any) -> Any:
            return x @ self.weight + self.bias

    model, x, t = Model(), torch.from_numpy(rows), torch.from_numpy(target)
    return training.torch_step(library, model, parameters, lambda: loss_function(model(x), t), "SGD")


def _logistic(xp: Any, product: Any, parameters: Any, x: Any, target: Any) -> Any:
    """Mean of ``softplus(z) - t·z`` for logits ``z``."""
    logits = product(x, parameters["weight"]) + parameters["bias"]
    return xp.mean(xp.logaddexp(0.0, logits) - target * logits)


def jax_regression(library: Library) -> Case:
    parameters, rows, target = _regression()
    return training.jax_step(
        library,
        parameters,
        partial(_logistic, library.module.numpy, library.module.numpy.matmul),
        "SGD",
        rows,
        target,
    )


def autograd_regression(library: Library) -> Case:
    import autograd.numpy as anp

    parameters, rows, target = _regression()
    return training.autograd_step(library, parameters, partial(_logistic, anp, anp.dot), "SGD", rows, target)


def mygrad_regression(library: Library) -> Case:
    parameters, rows, target = _regression()
    return training.mygrad_step(
        library, parameters, partial(_logistic, library.module, library.module.matmul), "SGD", rows, target
    )


def tinygrad_regression(library: Library) -> Case:
    tg = library.module
    parameters, rows, target = _regression()
    weight = tg.Tensor.zeros(FEATURES).contiguous().realize()
    bias = tg.Tensor.zeros(1).contiguous().realize()
    x, t = tg.Tensor(rows).realize(), tg.Tensor(target).realize()
    parameters["bias"] = parameters["bias"].reshape(1)

    def loss() -> Any:
        return (x @ weight + bias).binary_crossentropy_logits(t)

    return training.tinygrad_step(library, {"weight": weight, "bias": bias}, parameters, loss, "SGD")


ROWS = [
    Row(
        "j",
        "sin·exp + tanh/(1+x²) over 4 million elements",
        {
            "torch": torch_formula,
            "jax": jax_formula,
            "autograd": autograd_formula,
            "mygrad": mygrad_formula,
            "tinygrad": tinygrad_formula,
        },
        target=1.5,
    ),
    Row(
        "k",
        "logistic regression, 100,000 × 100",
        {
            "torch": torch_regression,
            "jax": jax_regression,
            "autograd": autograd_regression,
            "mygrad": mygrad_regression,
            "tinygrad": tinygrad_regression,
        },
    ),
]
