"""Look at data of a turn that nothing reads, although what is computed needs it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.value import shape_of
from ..trace import Event, Trace
from .collected import Findings
from .makers import ADDING, DIFFERENCES, MULTIPLYING, PASSING, origin, values_of

#: Losses that compare a prediction with what is hoped for.
COMPARING = ("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss", "pow", "__pow__", "square")

#: Calls by which a later prediction goes into a target.
LATER = PASSING | MULTIPLYING | {"max", "amax", "gather", "values", "min", "minimum"}


def look_at_turn(trace: Trace, findings: Findings) -> None:
    """Look at the turn that a call of backward ends."""
    events = list(trace.events)
    read: set[int] | None = None
    for event in events:
        goal = bootstrapped(event) if event.name in COMPARING and event.wanted else None
        if goal is None:
            continue
        if read is None:
            read = {id(t) for e in events for t, _ in e.inputs}
        size = shape_of(goal.outputs[0])
        unread = [
            (e, t) for e in events for t in e.outputs
            if id(t) not in read and shape_of(t) == size and t is not goal.outputs[0] and _yes_or_no(t)
        ]  # fmt: skip
        if unread:
            made = unread[-1][0].place
            findings.tell(
                "end of an episode not used", goal, line=0 if made is None else made.line, event=event
            )
            return


def bootstrapped(event: Event) -> Event | None:
    """Return the call that adds data and a later prediction for a target; None where none does."""
    if not event.name.endswith("loss"):
        taken = event.inputs[0][1] if event.inputs else None
        if taken is None or taken.name not in DIFFERENCES:
            return None
        event = taken
    for tensor, maker in event.inputs:
        goal = origin(maker, PASSING)
        if tensor._node is not None or goal is None or goal.name not in ADDING or len(goal.inputs) != 2:
            continue
        for (_, first), (_, second) in (goal.inputs, goal.inputs[::-1]):
            later = origin(second, LATER)
            scaled = second is not None and second.name in MULTIPLYING
            if scaled and later is not None and later.module is not None and (
                first is None or first.module is None
            ) and len(shape_of(goal.outputs[0])):
                return goal
    return None


def _yes_or_no(tensor: Any) -> bool:
    value = values_of(tensor)
    return value is not None and value.size > 1 and value.dtype.kind in "bf" and (
        set(np.unique(value).tolist()) == {0, 1}
    )
