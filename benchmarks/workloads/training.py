"""The training step around a model: the same five lines for every workload of a family of peers.

The rows (d) to (i) and (k) differ in model and loss; how a family takes a step is written here once.
Optimizers are the library's own with their defaults where it has any, else those of ``updates.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.case import Case, Library
from benchmarks.data import Parameters
from benchmarks.workloads.updates import UPDATES, Update

Loss = Callable[..., Any]


def torch_step(library: Library, module: Any, parameters: Parameters, loss: Loss, optimizer: str) -> Case:
    """``zero_grad``, loss, ``backward``, ``step``; torch.compile compiles the loss, as its tutorial does,
    pullback.compile the step.
    """
    torch = library.module
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(torch.from_numpy(parameters[name]))
    optim = torch.optim
    update = {
        "SGD": lambda p: optim.SGD(p, lr=1e-3),
        "SGD with momentum": lambda p: optim.SGD(p, lr=1e-3, momentum=0.9),
        "Adam": lambda p: optim.Adam(p),
        "AdamW": lambda p: optim.AdamW(p),
    }[optimizer](list(module.parameters()))
    compute = library.part(loss)

    def step() -> Any:
        update.zero_grad()
        value = compute()
        value.backward()
        update.step()
        return value

    return Case(library.step(step), lambda value: value.item())


def jax_step(library: Library, parameters: Parameters, loss: Loss, optimizer: str, *batch: Any) -> Case:
    """A step with an optimizer of ``updates.py`` and its defaults."""
    return jax_training(library, UPDATES[optimizer](), parameters, loss, *batch)


def jax_training(library: Library, rule: Update, parameters: Parameters, loss: Loss, *batch: Any) -> Case:
    """One compiled function for loss, gradient and update; the old parameters' memory is given back to it."""
    jax = library.module

    def advance(parameters: Any, state: Any, *batch: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        return *rule.update(parameters, gradients, state), value

    compiled = jax.jit(advance, donate_argnums=(0, 1))
    current = jax.tree.map(jax.numpy.array, parameters)
    # The width of a Python float, which follows jax's setting.
    state = jax.tree.map(lambda value: jax.numpy.array(value, float), rule.init(current))
    batch = jax.tree.map(jax.numpy.asarray, batch)

    def step() -> Any:
        nonlocal current, state
        current, state, value = jax.block_until_ready(compiled(current, state, *batch))
        return value

    return Case(step, float)


def autograd_step(library: Library, parameters: Parameters, loss: Loss, optimizer: str, *batch: Any) -> Case:
    """``value_and_grad`` over a dictionary of arrays, then the update on NumPy arrays."""
    rule = UPDATES[optimizer]()
    gradient = library.module.value_and_grad(loss)
    current, state = dict(parameters), rule.init(parameters)

    def step() -> Any:
        nonlocal current, state
        value, gradients = gradient(current, *batch)
        current, state = rule.update(current, gradients, state)
        return value

    return Case(step, float)


def mygrad_step(library: Library, parameters: Parameters, loss: Loss, optimizer: str, *batch: Any) -> Case:
    """``loss.backward()``, then the update on the tensors' NumPy arrays."""
    mg = library.module
    rule = UPDATES[optimizer]()
    tensors = {name: mg.tensor(value.copy()) for name, value in parameters.items()}
    state = rule.init(parameters)

    def step() -> Any:
        nonlocal state
        value = loss(tensors, *batch)
        value.backward()
        values = {name: tensor.data for name, tensor in tensors.items()}
        gradients = {name: tensor.grad for name, tensor in tensors.items()}
        values, state = rule.update(values, gradients, state)
        for name, tensor in tensors.items():
            tensor.data = values[name]
        return value

    return Case(step, lambda value: float(value.data))


def tinygrad_step(
    library: Library, tensors: dict[str, Any], parameters: Parameters, loss: Loss, optimizer: str
) -> Case:
    """The whole step in a ``TinyJit``, as tinygrad's examples do."""
    tg = library.module
    from tinygrad.nn import optim

    for name, tensor in tensors.items():
        tensor.assign(tg.Tensor(parameters[name])).realize()
    update = {
        "SGD": lambda p: optim.SGD(p, lr=1e-3),
        "SGD with momentum": lambda p: optim.SGD(p, lr=1e-3, momentum=0.9),
        "Adam": lambda p: optim.Adam(p),
        "AdamW": lambda p: optim.AdamW(p),
    }[optimizer](list(tensors.values()))

    @tg.TinyJit
    def advance() -> Any:
        with tg.Context(TRAINING=1):
            update.zero_grad()
            value = loss()
            value.backward()
            return value.realize(*update.schedule_step())

    def step() -> Any:
        value = advance()
        tg.Device[tg.Device.DEFAULT].synchronize()
        return value

    return Case(step, lambda value: float(value.numpy()))


def numpy_cross_entropy(xp: Any, logits: Any, one_hot: Any) -> Any:
    """Mean cross entropy from logits for the peers that ship none (``xp``: autograd.numpy)."""
    shifted = logits - xp.max(logits, axis=-1, keepdims=True)
    log_probability = shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))
    return -xp.sum(one_hot * log_probability) / float(np.prod(one_hot.shape[:-1]))
