"""Optimizers for the peers that ship none: jax, autograd and mygrad update plain arrays by these rules.

Each is ``init(parameters)`` and ``update(parameters, gradients, state)`` over dictionaries of arrays, with
PyTorch's defaults and formulas, pure, so that jax can compile it; on NumPy arrays it is what a user of
autograd writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Tree = dict[str, Any]
State = dict[str, Any]


@dataclass(frozen=True)
class Update:
    init: Callable[[Tree], State]
    update: Callable[[Tree, Tree, State], tuple[Tree, State]]


def sgd(momentum: float = 0.0, rate: float = 1e-3) -> Update:
    """``m ← μ·m + g``, ``p ← p - η·m``; without momentum ``p ← p - η·g``."""

    def init(parameters: Tree) -> State:
        return {name: 0.0 * value for name, value in parameters.items()} if momentum else {}

    def update(parameters: Tree, gradients: Tree, state: State) -> tuple[Tree, State]:
        if momentum:
            state = {name: momentum * state[name] + gradient for name, gradient in gradients.items()}
            gradients = state
        return {name: value - rate * gradients[name] for name, value in parameters.items()}, state

    return Update(init, update)


def adam(decay: float = 0.0, rate: float = 1e-3) -> Update:
    """Adam with bias correction; ``decay`` is AdamW's decoupled weight decay.

    ``m ← β₁·m + (1-β₁)·g``, ``v ← β₂·v + (1-β₂)·g²``,
    ``p ← (1-η·λ)·p - η/(1-β₁ᵗ) · m / (√v/√(1-β₂ᵗ) + ε)``
    """
    beta1, beta2, epsilon = 0.9, 0.999, 1e-8

    def init(parameters: Tree) -> State:
        zeros = {name: 0.0 * value for name, value in parameters.items()}
        return {
            "m": zeros,
            "v": {name: 0.0 * value for name, value in parameters.items()},
            "beta1": 1.0,
            "beta2": 1.0,
        }

    def update(parameters: Tree, gradients: Tree, state: State) -> tuple[Tree, State]:
        power1, power2 = state["beta1"] * beta1, state["beta2"] * beta2
        step, root = rate / (1 - power1), (1 - power2) ** 0.5
        m = {name: beta1 * state["m"][name] + (1 - beta1) * g for name, g in gradients.items()}
        v = {name: beta2 * state["v"][name] + (1 - beta2) * g * g for name, g in gradients.items()}
        new = {
            name: (1 - rate * decay) * value - step * m[name] / (v[name] ** 0.5 / root + epsilon)
            for name, value in parameters.items()
        }
        return new, {"m": m, "v": v, "beta1": power1, "beta2": power2}

    return Update(init, update)


UPDATES: dict[str, Callable[[], Update]] = {
    "SGD": sgd,
    "SGD with momentum": lambda: sgd(momentum=0.9),
    "Adam": adam,
    "AdamW": lambda: adam(decay=0.01),
}
