"""Draw curves of a training run: the loss, and for each layer its gradient, its update and its dead units."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.value import TensorBase, innermost
from .answer import Answer
from .explanation import Call
from .shown import norm, plain_number, widened
from .trace import Event

#: Points of a curve that a page holds; of a longer one every second, third, … is left out.
MOST_POINTS = 400

#: A point: the step, and the value there.
Point = tuple[int, float]


class Run:
    """Write the curves down.

    The layers are looked at in steps 1, `every`, 2 · `every`, …; for None in the steps that are looked at
    anyway, the first ten and a few later ones. The loss is written down in each.
    """

    def __init__(self, every: int | None = None) -> None:
        self.every = every
        self.losses: dict[tuple[str, int], tuple[str, list[Point]]] = {}
        self.gradients: dict[str, list[Point]] = {}
        self.updates: dict[str, list[Point]] = {}
        self.dead: dict[str, list[Point]] = {}
        self.seen: dict[tuple[str, Any], int] = {}
        self._steps: dict[int, int] = {}
        self._turns: dict[tuple[str, int], int] = {}
        self._stepped = self._turned = 0
        self._known = 0
        self._shares: list[tuple[Any, str, float]] = []

    @property
    def step(self) -> int:
        """Return the number of the step that the program is in, from 1 on."""
        return self._stepped + 1 if self._steps else max(self._turned, 1)

    def due(self, step: int) -> bool:
        """Return whether the layers are to be looked at in a step."""
        return self.every is not None and (step == 1 or step % self.every == 0)

    # --- what is written down -------------------------------------------------------------------------------

    def loss(self, call: Call, value: float | None) -> None:
        """Write down the output of a call of backward, where it is one number."""
        key = call.file, call.line
        self._turns[key] = count = self._turns.get(key, 0) + 1
        self._turned = max(self._turned, count)
        if value is not None:
            known = self.losses.get(key)
            if known is None:
                known = self.losses[key] = (f"line {call.line}: {call.code or call.kind}", [])
            known[1].append((self.step, value))

    def stepping(self, optimizer: Any, look: bool, name_of: Callable[[Any], str | None]) -> list[Any]:
        """Write down the gradients that an optimizer is about to use; return what `stepped` needs."""
        before: list[Any] = []
        if look:
            sizes: dict[str, float] = {}
            for p in _held(optimizer):
                grad = None if p._grad is None else innermost(p._grad)
                value = innermost(p)
                if isinstance(grad, ndarray) and isinstance(value, ndarray):
                    layer = layer_of(name_of(p))
                    sizes[layer] = math.hypot(sizes.get(layer, 0.0), norm(grad))
                    before.append((p, layer, value.copy()))
            self._add(self.gradients, sizes)
        return before

    def stepped(self, optimizer: Any, before: Sequence[Any]) -> None:
        """Write down by how much a step changed the weights of each layer."""
        if before:
            self._measure(before)
        self._steps[id(optimizer)] = count = self._steps.get(id(optimizer), 0) + 1
        self._stepped = max(self._stepped, count)

    def _measure(self, before: Sequence[Any]) -> None:
        moved: dict[str, float] = {}
        sizes: dict[str, float] = {}
        for p, layer, old in before:
            new = innermost(p)
            if isinstance(new, ndarray) and new.shape == old.shape:
                with np.errstate(all="ignore"):
                    change = norm(widened(new) - widened(old))
                moved[layer] = math.hypot(moved.get(layer, 0.0), change)
                sizes[layer] = math.hypot(sizes.get(layer, 0.0), norm(old))
        self._add(self.updates, {k: m / sizes[k] for k, m in moved.items() if sizes[k] > 0})

    def look_at(self, event: Event) -> None:
        """Write down how many units gave 0 for a whole batch, where a call cuts off what is negative."""
        if len(event.inputs) != 1 or len(event.outputs) != 1 or not event.kept:
            return
        given, found = innermost(event.inputs[0][0]), innermost(event.outputs[0])
        if not (isinstance(given, ndarray) and isinstance(found, ndarray) and given.shape == found.shape):
            return
        if found.ndim < 2 or not found.size or found.dtype.kind != "f":
            return
        if float(found.min()) != 0.0 or not float(given.min()) < 0.0:
            return
        axis = 1 if found.ndim > 3 else found.ndim - 1
        others = tuple(d for d in range(found.ndim) if d != axis)
        share = float((~found.any(axis=others)).mean())
        place = event.place
        called = event.name if place is None else f"{event.name}, line {place.line}"
        self._shares.append((event.module, called, share))

    def turn(self, name_of: Callable[[Any], str | None]) -> None:
        """Put what was found in a turn on the curves, under the names that modules have at its end."""
        for module, called, share in self._shares:
            name = None if module is None else name_of(module)
            points = self.dead.setdefault(name or called, [])
            if not points or points[-1][0] != self.step:
                points.append((self.step, 100 * share))
        self._shares = []

    def note(self, findings: Iterable[Answer], count: int) -> None:
        """Write down at which step findings were seen first."""
        if count != self._known:
            self._known = count
            for answer in findings:
                self.seen.setdefault((answer.kind, answer.place), self.step)

    def _add(self, curves: dict[str, list[Point]], values: dict[str, float]) -> None:
        for layer, value in values.items():
            curves.setdefault(layer, []).append((self.step, value))

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain data, each thinned to what can be seen."""
        losses = [_curve(name, points) for name, points in self.losses.values()]
        longest: Any = max(losses, key=lambda curve: len(curve["points"]), default={"points": []})
        return {
            "every": self.every,
            "steps": max((points[-1][0] for _, points in self.losses.values() if points), default=0),
            "loss": longest["points"],
            "losses": losses,
            "gradients": [_curve(name, points) for name, points in self.gradients.items()],
            "updates": [_curve(name, points) for name, points in self.updates.items()],
            "dead": [_curve(name, points) for name, points in self.dead.items()],
        }


def layer_of(name: str | None) -> str:
    """Return the layer of a parameter: "model.0" of "model.0.weight", and a name of its own as it is."""
    if name is None:
        return "parameters"
    return name.rpartition(".")[0] or name


def _held(optimizer: Any) -> list[Any]:
    return [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, TensorBase)]


def _curve(name: str, points: Sequence[Point]) -> dict[str, Any]:
    stride = -(-len(points) // MOST_POINTS)
    kept = [
        [step, plain_number(float(f"{value:.4g}"))]
        for place, (step, value) in enumerate(points)
        if place % stride == 0 or place == len(points) - 1
    ]  # fmt: skip
    return {"name": name, "points": kept}
