"""Look at averages that a program keeps of weights: which of the two is kept, the old or the new."""

from collections.abc import Callable
from typing import Any

from ...core.value import TensorBase, innermost
from ..trace import Event
from .collected import Findings

#: A weight of the new value from which on an average hardly remembers the old one.
MOSTLY_NEW = 0.9


class Averages:
    """Remember by what each tensor was scaled last."""

    def __init__(self) -> None:
        self.scaled: dict[int, float] = {}

    def look_at(self, event: Event, held: Callable[[Any], bool], findings: Findings) -> None:
        """Look at a call that writes into a tensor; `held` says of what optimizers hold."""
        if not event.inputs or event.entry == "wrapper":
            return
        base = _base(event, event.inputs[0][0])
        if event.name in ("mul_", "__imul__"):
            factor = event.args[1] if len(event.args) > 1 else None
            if isinstance(factor, (int, float)):
                self.scaled[id(innermost(base))] = float(factor)
            return
        share = self._share(event, base, held)
        if share is None or share < MOSTLY_NEW or share >= 1 or held(base):
            return
        findings.tell("average the wrong way round", event, rest=1 - share, share=share)

    def _share(self, event: Event, base: Any, held: Callable[[Any], bool]) -> float | None:
        """Return the weight that a write gives to weights which an optimizer holds."""
        others = [t for t, _ in event.inputs[1:]]
        if event.name == "lerp_" and others and held(_base(event, others[0])):
            weight = event.argument(2, "weight")
            return float(weight) if isinstance(weight, (int, float)) else None
        if event.name == "add_" and others and held(_base(event, others[0])):
            alpha, kept = event.argument(2, "alpha", 1), self.scaled.get(id(innermost(base)))
            if isinstance(alpha, (int, float)) and kept is not None and abs(alpha + kept - 1) < 1e-6:
                return float(alpha)
        source = event.inputs[1][1] if len(event.inputs) > 1 else None
        if event.name in ("copy_", "add_", "__iadd__", "data") and source is not None:
            return _mixed(event, source, base, held, self.scaled)
        if event.name == "data" and event.inputs[0][1] is not None:
            return _mixed(event, event.inputs[0][1], base, held, self.scaled)
        return None


def _mixed(
    event: Event, source: Event, base: Any, held: Callable[[Any], bool], scaled: dict[int, float]
) -> float | None:
    """Return the weight of what an optimizer holds in a sum of two scaled tensors."""
    if source.name in ("mul", "__mul__", "__rmul__") and event.name in ("add_", "__iadd__"):
        factor, kept = _factor(source), scaled.get(id(innermost(base)))
        new = any(held(_base(source, t)) for t, _ in source.inputs)
        return factor if new and factor is not None and kept is not None and (
            abs(factor + kept - 1) < 1e-6
        ) else None  # fmt: skip
    if source.name not in ("add", "__add__") or len(source.inputs) != 2:
        return None
    parts = [maker for _, maker in source.inputs]
    factors = [None if m is None else _factor(m) for m in parts]
    if None in factors or abs(sum(f for f in factors if f is not None) - 1) > 1e-6:
        return None
    for maker, factor in zip(parts, factors):
        if maker is not None and any(held(_base(maker, t)) for t, _ in maker.inputs):
            return factor
    return None


def _factor(event: Event) -> float | None:
    if event.name not in ("mul", "__mul__", "__rmul__"):
        return None
    return next((float(a) for a in event.args[:2] if isinstance(a, (int, float))), None)


def _base(event: Event, tensor: Any) -> Any:
    """Return the weight that a tensor is the `.data` or a detached view of."""
    maker = event.maker_of(tensor)
    if maker is not None and maker.name in ("data", "detach") and maker.inputs:
        return maker.inputs[0][0]
    return tensor if isinstance(tensor, TensorBase) else None
