"""Look at frozen batch norm: weights that stay, and running statistics that go on changing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.blame import Place
from ...core.value import TensorBase
from ..scene import freezing
from ..trace import Event
from .collected import Findings
from .makers import values_of

#: Calls that are needed to speak of all of them.
ENOUGH = 2

#: Running statistics that keep less than the rest of this of what they were are no averages.
MOMENTUM = 0.9


@dataclass
class Seen:
    """Hold what a batch norm had when it was called in training first, and how often it was."""

    module: Any
    weight: ndarray
    mean: ndarray
    place: Place | None
    calls: int = 0
    frozen: bool = True


class Drifting:
    """Follow the batch norms that are called in training."""

    def __init__(self) -> None:
        self.seen: dict[int, Seen] = {}

    def look_at(self, event: Event, findings: Findings) -> None:
        """Look at one call of a function, after it was done."""
        if event.name != "batch_norm" or not event.argument(5, "training", False) or event.module is None:
            return
        _momentum(event, findings)
        weight, mean = event.argument(3, "weight"), event.argument(1, "running_mean")
        if not isinstance(weight, TensorBase) or not isinstance(mean, TensorBase):
            return
        known = self.seen.get(id(event.module))
        if known is None:
            numbers, average = values_of(weight), values_of(mean)
            if numbers is None or average is None:
                return
            known = Seen(event.module, numbers.copy(), average.copy(), event.place)
            self.seen[id(event.module)] = known
        known.calls += 1
        known.frozen = known.frozen and weight._node is None

    def report(
        self, findings: Findings, modes: Mapping[int, tuple[CodeType, int]], files: Iterable[str],
        name_of: Callable[[Any], str | None],
    ) -> None:  # fmt: skip
        """Say where weights are frozen and the statistics beside them are not."""
        for known in self.seen.values():
            module = known.module
            weight, mean = values_of(module.weight), values_of(module.running_mean)
            if known.calls < ENOUGH or not known.frozen or weight is None or mean is None:
                continue
            if not np.array_equal(weight, known.weight) or np.allclose(mean, known.mean, 1e-3, 1e-6):
                continue
            at = modes.get(id(module))
            findings.tell(
                "frozen statistics drift",
                at or freezing(files) or known.place,
                module=type(module).__name__,
                named=f" (`{name}`)" if (name := name_of(module.weight)) else "", known=known
            )
            return


def _momentum(event: Event, findings: Findings) -> None:
    """Say where running statistics forget all batches but the last one, or never change."""
    momentum = event.argument(6, "momentum", 0.1)
    tracked = event.argument(1, "running_mean") is not None
    if not tracked or not isinstance(momentum, (int, float)) or 0 < momentum < MOMENTUM:
        return
    if getattr(event.module, "momentum", 0.1) is None:
        return  # an average over all batches
    what = (
        "never change: in eval mode it takes the mean 0 and the variance 1 that it began with"
        if momentum == 0 else "are nearly those of the last batch alone, and jump with each batch"
    )
    findings.tell(
        "momentum of batch norm", findings.made(event.module) or event.place, momentum=momentum, what=what,
        module=type(event.module).__name__, event=event
    )
