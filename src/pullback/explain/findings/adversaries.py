"""Look at two networks that are trained against each other: whether both pull the same way."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.node import LEAF
from ..trace import Event
from .collected import Findings
from .held import Watched
from .makers import YES_OR_NO, data_of, origin, values_of


class Adversaries:
    """Remember towards what each critic was trained on samples that were cut off."""

    def __init__(self) -> None:
        self.towards: dict[int, tuple[float, Event]] = {}
        #: The same for samples that no network made.
        self.real: dict[int, tuple[float, Event]] = {}
        #: Weights that are kept in a range although another optimizer has stepped, and what that one holds.
        self.kept: dict[int, tuple[Event, list[Any]]] = {}

    def look_at(self, event: Event, findings: Findings) -> None:
        """Look at one call of a function."""
        if event.name not in YES_OR_NO or not event.wanted:
            return
        labels = values_of(event.argument(1, "target"))
        made = origin(event.maker_of(event.argument(0, "input")), {"sigmoid", "squeeze", "view", "flatten"})
        if labels is None or labels.size < 2 or (labels != labels.flat[0]).any() or made is None:
            return
        key, label = id(made.module), float(np.asarray(labels.flat[0]))
        given = list(data_of(made))
        cut = any((maker := user.maker_of(t)) is not None and maker.name == "detach" for user, t in given)
        known, real = self.towards.get(key), self.real.get(key)
        if cut:
            self.towards[key] = label, event
            if real is not None and real[0] == label:
                findings.tell("one label for both", event, label=label, line=real[1].line, rest=1 - label)
        elif not _drawn(given):
            self.real[key] = label, event
        alike = real is not None and known is not None and real[0] == known[0]
        if not cut and not alike and known is not None and known[0] == label and _drawn(given):
            findings.tell("both pull the same way", event, label=label, line=known[1].line, rest=1 - label)

    def clamps(self, event: Event, stepped: Sequence[tuple[int, Watched]]) -> None:
        """Note that weights are put back into a range, and which optimizer stepped before."""
        leaf, maker = event.inputs[0]
        if maker is not None and maker.name in ("data", "detach") and maker.inputs:
            leaf = maker.inputs[0][0]
        low, high = event.argument(1, "min"), event.argument(2, "max")
        if not stepped or not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
            return
        held = list(stepped[-1][1].parameters())
        if low == -high and leaf._node is LEAF and not any(p is leaf for p in held):
            self.kept.setdefault(id(leaf), (event, held))

    def report(self, findings: Findings, reached: Mapping[int, set[Any]]) -> None:
        """Say where the generator's weights are kept in a range, in place of the critic's."""
        for key, (event, held) in self.kept.items():
            own = reached.get(key, set())
            # A critic gets gradients of both losses, a generator of its own alone.
            if own and not any(id(p) in self.kept for p in held) and all(
                own < reached.get(id(p), set()) for p in held
            ):
                findings.tell("wrong network clamped", event)
                return


def _drawn(given: list[Any]) -> bool:
    """Return whether what comes in are random draws, as those that a generator starts from."""
    return any(
        (maker := user.maker_of(t)) is not None and maker.name in ("randn", "rand", "randn_like")
        and user.module is not None for user, t in given
    )  # fmt: skip
