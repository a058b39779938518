"""Find values that grow with each turn of a loop until the dtype cannot hold them."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.node import LEAF
from ...core.value import shape_of
from ..answer import Answer
from ..trace import Event
from .makers import values_of

#: Turns in which values must grow, and by how much in all.
FEWEST_TURNS = 5
GROWN = 1e6

#: A loss beyond this that is still finite is looked at.
HUGE = 1e8

#: Calls that are followed back.
MOST_CALLS = 5_000


@dataclass
class Turns:
    """Hold what one line gave in each turn, the first one first."""

    events: list[Event]
    sizes: list[float]


def growing(event: Event) -> Turns | None:
    """Return the calls of one line, on the way to a call, whose results grow from turn to turn."""
    by_line: dict[Any, Turns] = {}
    current: Event | None = event
    for _ in range(MOST_CALLS):
        if current is None or not current.outputs:
            break
        turns = by_line.setdefault((current.name, *current.frames[:1]), Turns([], []))
        turns.events.insert(0, current)
        turns.sizes.insert(0, _largest(current.outputs[0]))
        given = [
            (_largest(t), k) for k, (t, maker) in enumerate(current.inputs)
            if maker is not None and t._node is not LEAF
        ]  # fmt: skip
        current = current.inputs[max(given)[1]][1] if given else None
    grown = [t for t in by_line.values() if _grow(t.sizes)]
    return max(grown, key=lambda turns: len(turns.events), default=None)


def _largest(tensor: Any) -> float:
    value = values_of(tensor)
    if value is None or value.dtype.kind not in "fV" or not value.size:
        return 0.0
    return float(np.nan_to_num(np.abs(value.astype(np.float64)), nan=np.inf, posinf=np.inf).max())


def _grow(sizes: list[float]) -> bool:
    finite = [size for size in sizes if np.isfinite(size)]
    if len(finite) < FEWEST_TURNS or finite[0] <= 0 or finite[-1] < GROWN * finite[0]:
        return False
    rises = sum(after > before for before, after in itertools.pairwise(finite))
    return rises >= 0.8 * (len(finite) - 1)


def of_growth(
    event: Event, name_of: Callable[[Any], str | None], set_at: Callable[[Any], Any]
) -> Answer | None:
    """Return that values grow in a loop, and which weights they are multiplied by; None where they do not.

    `event` gives the result that is too large. `set_at` returns the line of the program's that gave a weight
    its first values.
    """
    turns = growing(event)
    if turns is None:
        return None
    finite = [size for size in turns.sizes if np.isfinite(size)]
    factor = (finite[-1] / finite[0]) ** (1 / (len(finite) - 1))
    weights = [t for t, _ in turns.events[-1].inputs if t._node is LEAF and len(shape_of(t)) == 2]
    place = next((found for weight in weights if (found := set_at(weight)) is not None), None)
    names = " or ".join(f"`{name}`" for weight in weights[-2:] if (name := name_of(weight)))
    used = turns.events[-1].place
    over = ", and overflow" if len(finite) < len(turns.sizes) else ""
    return Answer.of(
        "values grow", place or used, () if place is None else (f"the turns are at {used}",), factor=factor,
        finite=finite, last=finite[-1], count=len(finite), over=over,
        reason=f"{names} is too large" if names else "what they are multiplied by is too large"
    )
