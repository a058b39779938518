"""Follow values back through the calls that made them: past those that hand on, to the data.

A call is an `Event` of the trace. What it was given is in its `inputs`, each with the call that made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from numpy import ndarray

from ...core.node import LEAF
from ...core.value import innermost
from ..trace import Event

#: Arithmetic, by the names of its calls.
ADDING = {"add", "__add__", "__radd__"}
TAKING = {"sub", "__sub__"}
DIFFERENCES = {*TAKING, "__rsub__"}
MULTIPLYING = {"mul", "__mul__", "__rmul__"}
DIVIDING = {"div", "__truediv__"}
NEGATING = {"neg", "__neg__"}

#: Losses of predictions and targets, in this order; those of yes or no are of each element by itself.
YES_OR_NO = {"binary_cross_entropy", "binary_cross_entropy_with_logits"}
LOSSES = YES_OR_NO | {"cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}

#: Calls that are followed back.
MOST_CALLS = 2_000

#: Ops that put several values together, and how many of them are looked at.
JOINING = ("cat", "stack", "concat")
MOST_JOINED = 16

#: Ops that hand values on as they are.
PASSING = {
    "view", "reshape", "contiguous", "clone", "to", "float", "double", "squeeze", "unsqueeze", "flatten",
    "permute", "transpose", "dropout", "type", "__getitem__", "detach", "T", "t",
}  # fmt: skip


def values_of(tensor: Any) -> ndarray | None:
    """Return a tensor's numbers; None for what has none, or is no tensor."""
    value = innermost(tensor)
    return value if isinstance(value, ndarray) else None


def origin(event: Event | None, passing: set[str] = PASSING) -> Event | None:
    """Return the event that made a value, past those that hand it on."""
    steps = 0
    while event is not None and event.inputs and steps < 50:
        before = [maker for _, maker in event.inputs]
        if event.name in JOINING and joined_of_one_kind(before, passing):
            pass
        elif event.name not in passing:
            break
        event = before[0]
        steps += 1
    return event


def behind(event: Event | None) -> Iterator[Event]:
    """Yield a call and those on the way to it, up to weights and data."""
    seen: set[Event] = set()
    waiting = [] if event is None else [event]
    while waiting and len(seen) < MOST_CALLS:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            yield current
            waiting += [m for t, m in current.inputs if m is not None and t._node is not LEAF]


def both_ways(event: Event) -> list[list[tuple[Any, Event | None]]]:
    """Return the two inputs of a call in both orders, each with its maker; nothing for another number."""
    return [event.inputs, event.inputs[::-1]] if len(event.inputs) == 2 else []


def joined_of_one_kind(makers: Sequence[Event | None], passing: set[str]) -> bool:
    """Return whether what is put together comes from one kind of call throughout."""
    made = [origin(maker, passing) for maker in makers[:MOST_JOINED]]
    return len({None if event is None else event.name for event in made}) == 1 and made[0] is not None


def data_of(start: Event | None) -> Iterator[tuple[Event, Any]]:
    """Yield (call, tensor) for what comes in from outside on the way to a call: no weight, no history."""
    seen: set[Event] = set()
    waiting = [] if start is None else [start]
    while waiting and len(seen) < MOST_CALLS:
        event = waiting.pop()
        if event in seen:
            continue
        seen.add(event)
        for tensor, maker in event.inputs:
            if tensor._node is None and event.wanted:
                yield event, tensor
            elif maker is not None and tensor._node is not LEAF:
                waiting.append(maker)


def dims(shape: tuple[int, ...]) -> str:
    """Return a shape as it is written."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


