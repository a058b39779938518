"""Look at two networks that are trained against each other: whether both pull the same way."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.value import TensorBase
from ..answer import Answer
from ..trace import Event
from .collected import Findings
from .losses import origin, values_of
from .targets import data_of

#: Losses by which a critic tells real from made up.
LOSSES = ("binary_cross_entropy", "binary_cross_entropy_with_logits")


class Adversaries:
    """Remember towards what each critic was trained on samples that were cut off."""

    def __init__(self) -> None:
        self.towards: dict[int, tuple[float, Event]] = {}

    def look_at(self, event: Event, findings: Findings) -> None:
        """Look at one call of a function."""
        if event.name not in LOSSES or not event.wanted:
            return
        target = event.argument(1, "target")
        labels = values_of(target) if isinstance(target, TensorBase) else None
        made = origin(event.maker_of(event.argument(0, "input")), {"sigmoid", "squeeze", "view", "flatten"})
        if labels is None or labels.size < 2 or (labels != labels.flat[0]).any() or made is None:
            return
        key, label = id(made.module), float(np.asarray(labels.flat[0]))
        given = list(data_of(made))
        cut = any((maker := user.maker_of(t)) is not None and maker.name == "detach" for user, t in given)
        known = self.towards.get(key)
        if cut:
            self.towards[key] = label, event
        elif known is not None and known[0] == label and _drawn(given):
            findings.add("wrong input of a loss", Answer(
                "both pull the same way", f"The critic is trained to give {label:g} for made-up samples"
                f"{_line(known[1])}, and here the generator is trained towards the same label {label:g}: it "
                "learns to be found out.", event.place, (),
                f"train the generator towards the other label, that of real samples: {1 - label:g}",
            ))  # fmt: skip


def _drawn(given: list[Any]) -> bool:
    """Return whether what comes in are random draws, as those that a generator starts from."""
    return any(
        (maker := user.maker_of(t)) is not None and maker.name in ("randn", "rand", "randn_like")
        and user.module is not None for user, t in given
    )  # fmt: skip


def _line(event: Event) -> str:
    return "" if event.place is None else f" (line {event.place.line})"


__all__ = ["Adversaries"]
