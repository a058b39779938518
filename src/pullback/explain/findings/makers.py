"""Follow values back through the calls that made them: past those that hand on, to the data.

A call is an `Event` of the trace. What it was given is in its `inputs`, each with the call that made it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from numpy import ndarray

from ...core.value import innermost
from ..trace import Event, behind

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


def both_ways(event: Event) -> list[list[tuple[Any, Event | None]]]:
    """Return the two inputs of a call in both orders, each with its maker; nothing for another number."""
    return [event.inputs, event.inputs[::-1]] if len(event.inputs) == 2 else []


def joined_of_one_kind(makers: Sequence[Event | None], passing: set[str]) -> bool:
    """Return whether what is put together comes from one kind of call throughout."""
    made = [origin(maker, passing) for maker in makers[:MOST_JOINED]]
    return len({None if event is None else event.name for event in made}) == 1 and made[0] is not None


def data_of(start: Event | None) -> Iterator[tuple[Event, Any]]:
    """Yield (call, tensor) for what comes in from outside on the way to a call: no weight, no history."""
    for event in behind(start, follows=lambda event, tensor: tensor._node is not None or not event.wanted):
        for tensor, _ in event.inputs if event.wanted else ():
            if tensor._node is None:
                yield event, tensor
