"""The two forms of a step in jax, and the pieces of networks that jax has no layers for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.case import Case, Library
from benchmarks.suite.steps import number
from benchmarks.workloads.training import jax_training
from benchmarks.workloads.updates import Update, adam, sgd

OPTIMIZERS: dict[str, Callable[..., Update]] = {
    "SGD": sgd, "Adam": adam, "AdamW": lambda rate: adam(0.01, rate),
}  # fmt: skip


def names(library: Library, float64: bool = False) -> tuple[Any, Any]:
    """Return ``jax`` and ``jax.numpy``, set to the width of the step's numbers."""
    library.module.config.update("jax_enable_x64", float64)
    return library.module, library.module.numpy


def given(library: Library, tree: Any) -> Any:
    """Return a tree of the source's tensors as jax's arrays; integers become jax's usual 32 bits."""

    def convert(value: Any) -> Any:
        numbers = value.detach().numpy()
        return library.module.numpy.array(
            numbers.astype(np.int32) if numbers.dtype == np.int64 else numbers
        )

    return library.module.tree.map(convert, tree)


def training(
    library: Library, parameters: dict[str, Any], loss: Callable[..., Any], data: Any = (),
    optimizer: str = "Adam", lr: float = 1e-3, clip: float | None = None,
) -> Case:  # fmt: skip
    """Return a step that updates parameters by the gradient of ``loss(parameters, *data)``."""
    rule = OPTIMIZERS[optimizer](rate=lr)
    if clip is not None:
        rule = _clipped(library.module.numpy, rule, clip)
    return jax_training(library, rule, given(library, parameters), loss, *given(library, tuple(data)))


def whole(library: Library, function: Callable[..., Any], *data: Any) -> Case:
    """Return a step that computes ``function(*data)``."""
    jax = library.module
    call, arrays = jax.jit(function), given(library, data)
    return Case(lambda: jax.block_until_ready(call(*arrays)), number)


def _clipped(jnp: Any, rule: Update, limit: float) -> Update:
    """Return an optimizer that scales the gradients to a norm of at most ``limit`` first."""

    def update(parameters: Any, gradients: Any, state: Any) -> Any:
        norm = jnp.sqrt(sum((g * g).sum() for g in gradients.values()))
        scale = jnp.minimum(limit / (norm + 1e-6), 1.0)
        return rule.update(parameters, {name: scale * g for name, g in gradients.items()}, state)

    return replace(rule, update=update)


def layers(**modules: Any) -> dict[str, Any]:
    """Return the parameters of the source's modules by name: ``net.0.weight``."""
    return {f"{a}.{b}": p for a, module in modules.items() for b, p in module.named_parameters()}


def dense(p: dict[str, Any], name: str, x: Any) -> Any:
    """Apply the linear layer of that name."""
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def chain(p: dict[str, Any], name: str, x: Any, activation: Callable[[Any], Any], count: int) -> Any:
    """Apply ``count`` linear layers that take every other place of a sequence, an activation between."""
    for k in range(count):
        x = dense(p, f"{name}.{2 * k}", activation(x) if k else x)
    return x


def layer_norm(jnp: Any, p: dict[str, Any], name: str, x: Any) -> Any:
    """Normalize the last axis."""
    x = x - x.mean(-1, keepdims=True)
    x = x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    return x * p[f"{name}.weight"] + p[f"{name}.bias"]


def cross_entropy(jax: Any, logits: Any, target: Any) -> Any:
    """Return the mean over all but the last axis of the logits."""
    logs = jax.nn.log_softmax(logits)
    return -jax.numpy.take_along_axis(logs, target[..., None], -1).mean()


def lstm(jax: Any, p: dict[str, Any], name: str, rows: Any, units: int) -> Any:
    """Return the states of one layer over (time, batch, inputs)."""
    jnp = jax.numpy
    gates = rows @ p[f"{name}.weight_ih_l0"].T + p[f"{name}.bias_ih_l0"] + p[f"{name}.bias_hh_l0"]
    start = jnp.zeros((rows.shape[1], units), rows.dtype)

    def advance(state: Any, row: Any) -> Any:
        h, c = state
        i, f, g, o = jnp.split(row + h @ p[f"{name}.weight_hh_l0"].T, 4, 1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return jax.lax.scan(advance, (start, start), gates)[1]


def gru(jax: Any, p: dict[str, Any], name: str, rows: Any, units: int, suffix: str = "") -> Any:
    """Return the states of one layer over (time, batch, inputs); the suffix names the direction."""
    jnp = jax.numpy
    w, b = p[f"{name}.weight_hh_l0{suffix}"].T, p[f"{name}.bias_hh_l0{suffix}"]
    gates = rows @ p[f"{name}.weight_ih_l0{suffix}"].T + p[f"{name}.bias_ih_l0{suffix}"]

    def advance(h: Any, row: Any) -> Any:
        r, z, n = jnp.split(row, 3, 1)
        hr, hz, hn = jnp.split(h @ w + b, 3, 1)
        z = jax.nn.sigmoid(z + hz)
        h = (1 - z) * jnp.tanh(n + jax.nn.sigmoid(r + hr) * hn) + z * h
        return h, h

    start = jnp.zeros((rows.shape[1], units), rows.dtype)
    return jax.lax.scan(advance, start, gates, reverse=bool(suffix))[1]
