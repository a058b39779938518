"""Look at policies and values that are learned by trying: which action a term speaks of, what keeps up."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.node import LEAF
from ...core.value import shape_of
from ..trace import Event, Trace, behind
from .collected import Findings
from .makers import ADDING, DIFFERENCES, MULTIPLYING, NEGATING, PASSING, both_ways, origin, values_of
from .terms import LOGS, terms_of

#: Losses that compare a prediction with what is hoped for.
COMPARING = ("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss", "pow", "__pow__", "square")

#: Calls by which a later prediction goes into a target.
LATER = PASSING | MULTIPLYING | {"max", "amax", "gather", "values", "min", "minimum"}

#: Calls that pick the largest value of each row.
LARGEST = ("max", "amax")

#: Steps after which a copy that never changed is told of.
STEPS = 20


class Policies:
    """Follow the networks that goals are computed with, and look at the terms of losses of policies."""

    def __init__(self) -> None:
        #: Weights that goals are computed with: each with its value at first and the call that used it.
        self.goals: dict[int, tuple[Any, ndarray, Event]] = {}

    def look(self, loss: Any, trace: Trace, held: Any, findings: Findings) -> None:
        """Look at a loss that goes backward; `held` says of a leaf whether an optimizer holds it."""
        events = list(behind(trace.maker_of(loss)))
        for event in events:
            if event.name in COMPARING and event.wanted and (goal := bootstrapped(event)) is not None:
                _largest_for_taken(event, goal, findings)
                self._goal(goal, held)
        likely = [e for e in events if e.entry == "log_prob"]
        if likely:
            _entropy(loss, trace, findings)
            _another_action(events, findings)

    def _goal(self, goal: Event, held: Any) -> None:
        """Note the weights of a network that a goal is computed with and no optimizer holds."""
        for event in behind(goal):
            for tensor, _ in event.inputs:
                value = values_of(tensor) if tensor.dim() >= 2 and tensor is not goal else None
                owned = event.module is not None and any(
                    tensor is p for p in event.module._parameters.values()
                )
                if value is not None and owned and not held(tensor) and id(tensor) not in self.goals:
                    self.goals[id(tensor)] = tensor, value.copy(), event

    def report(self, steps: int, findings: Findings) -> None:
        """Say where the network that gives the goals never followed the one that is trained."""
        for tensor, first, event in self.goals.values():
            if steps >= STEPS and np.array_equal(values_of(tensor), first):  # type: ignore[arg-type]  # values
                findings.tell("target network never updated", event, steps=steps)
                return


def _largest_for_taken(event: Event, goal: Event, findings: Findings) -> None:
    """Say where the goal of the action that was taken is held against the value of the best one."""
    if not event.name.endswith("loss"):
        maker = event.inputs[0][1]
        if maker is None:
            return
        event = maker
    for tensor, maker in event.inputs:
        guess = None if tensor._node in (None, LEAF) else origin(maker, PASSING | {"values"})
        if guess is not None and guess.name in LARGEST and guess.inputs and len(
            shape_of(guess.inputs[0][0])
        ) > len(shape_of(guess.outputs[0])):  # fmt: skip
            findings.tell("value of another action", guess, event=event, goal=goal)
            return


def _entropy(loss: Any, trace: Trace, findings: Findings) -> None:
    """Say where the entropy of a policy is made small."""
    terms = terms_of(loss, trace)
    for term in terms:
        if len(terms) > 1 and term.event.entry == "entropy" and term.factor > 0:
            findings.tell("sign of the entropy", term.event)


def _another_action(events: list[Event], findings: Findings) -> None:
    """Say where a reward of one action weighs the log-probability of another one."""
    for event in events:
        for (left, made), (weight, by) in both_ways(event) if event.name in MULTIPLYING else ():
            if left._node in (None, LEAF) or weight._node is not None or made is None or by is None:
                continue
            likely = origin(made, PASSING | NEGATING | {"sum", "stack", "cat", "gather"})
            if likely is None or not (likely.entry == "log_prob" or likely.name in ("log_softmax", *LOGS)):
                continue
            spoken = _drawn(behind(made))
            rewarded = _drawn(behind(by))
            if len(spoken) != 1 or not rewarded or spoken[0] in rewarded:
                continue
            if all(shape_of(e.outputs[0]) == shape_of(spoken[0].outputs[0]) for e in rewarded):
                findings.tell(
                    "another action", spoken[0].place or event.place,
                    line=rewarded[0].place.line if rewarded[0].place else "?", line_name=spoken[0].line,
                    event=event
                )
                return


def _drawn(events: Iterable[Event]) -> list[Event]:
    """Return the calls among some that drew an action."""
    return [
        e for e in events if e.entry == "sample" and e.outputs
        and not any(m is not None and m.entry == "sample" for _, m in e.inputs)
    ]  # fmt: skip


def end_not_used(trace: Trace, findings: Findings) -> None:
    """Say where nothing reads which episodes have ended, although a target looks beyond their ends."""
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
        if tensor._node is not None or goal is None or goal.name not in ADDING:
            continue
        for (_, first), (_, second) in both_ways(goal):
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
