"""Choose the order in which a rank does the work of its stages: forwards and backwards of microbatches.

Any order in which each rank's work waits only for earlier work of others is right. They differ in how long
ranks are idle and in how many microbatches are kept for backward.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import islice
from typing import NamedTuple


class Kind(Enum):
    """Name what is done with a microbatch; torch's letters."""

    FORWARD = "F"
    BACKWARD = "B"
    #: The two halves of a backward: gradients of inputs, gradients of parameters.
    BACKWARD_INPUT = "I"
    BACKWARD_WEIGHT = "W"


class Action(NamedTuple):
    """One thing that a rank does."""

    stage_index: int
    computation_type: Kind
    microbatch_index: int

    def __repr__(self) -> str:
        return f"{self.stage_index}{self.computation_type.value}{self.microbatch_index}"


def all_then_back(stages: Sequence[int], count: int, *, last_first: bool = False) -> list[Action]:
    """Return all forwards, stage by stage, then all backwards (GPipe; breadth first with several stages)."""
    chunks = range(count)
    back = list(reversed(chunks)) if last_first else list(chunks)
    return [
        *(Action(stage, Kind.FORWARD, chunk) for stage in stages for chunk in chunks),
        *(Action(stage, Kind.BACKWARD, chunk) for stage in reversed(stages) for chunk in back),
    ]


def _in_rounds(stages: Sequence[int], count: int, size: int, kind: Kind) -> Iterator[Action]:
    """Yield the work of several stages in rounds: `size` microbatches of each stage in turn."""
    for first in range(0, count, size):
        for stage in stages:
            for chunk in range(first, min(first + size, count)):
                yield Action(stage, kind, chunk)


def one_forward_one_back(
    stages: Sequence[int], count: int, size: int, ahead: int, *, halves: bool = False, delay: int = 0
) -> list[Action]:
    """Return an order of `count` microbatches that alternates forwards and backwards.

    A rank has its stages first to last. `size` microbatches of a stage come before the next stage's turn, and
    `ahead` forwards before the first pair of a forward and a backward. With `halves` a backward is done in
    two, of which the second can wait, behind as many as `delay` others.
    """
    forwards = _in_rounds(stages, count, size, Kind.FORWARD)
    kind = Kind.BACKWARD_INPUT if halves else Kind.BACKWARD
    backwards = list(_in_rounds(stages[::-1], count, size, kind))
    order = list(islice(forwards, min(ahead, len(backwards))))
    waiting: list[Action] = []
    for back in backwards:
        following = next(forwards, None)
        order += [back] if following is None else [following, back]
        if halves:
            waiting.append(back._replace(computation_type=Kind.BACKWARD_WEIGHT))
            if len(waiting) > delay:
                order.append(waiting.pop(0))
    return order + waiting


def without_bubbles(ranks: int, count: int) -> list[list[Action]]:
    """Return the order of each rank of a pipeline in the shape of a V, whose ranks have two stages each.

    Rank r has the stages r and 2·ranks - 1 - r, so that the first rank also has the last stage. The orders
    are found by going through time: in each moment each rank does what it can, the gradients of inputs before
    forwards of its later stage, these before others, and the gradients of parameters where nothing else can
    be done. No rank begins more than 2·ranks forwards of the `count` microbatches before their backwards.
    """
    stages = 2 * ranks
    orders: list[list[Action]] = [[] for _ in range(ranks)]
    done: set[Action] = set()
    while len(done) < 3 * stages * count:
        now = []
        for rank, order in enumerate(orders):
            mine = (stages - 1 - rank, rank)
            kept = sum((a.computation_type is Kind.FORWARD) - (a.computation_type is Kind.BACKWARD_INPUT)
                       for a in order)  # fmt: skip
            possible = (
                Action(stage, kind, chunk)
                for kind in (Kind.BACKWARD_INPUT, Kind.FORWARD, Kind.BACKWARD_WEIGHT)
                if kind is not Kind.FORWARD or kept < stages
                for stage in mine
                for chunk in range(count)
            )
            found = next((a for a in possible if a not in done and _needs(a, stages) <= done), None)
            if found is not None:
                now.append(found)
                order.append(found)
        done.update(now)
    return orders


def _needs(action: Action, stages: int) -> set[Action]:
    """Return what must be done before."""
    stage, kind, chunk = action
    if kind is Kind.BACKWARD_WEIGHT:
        return {Action(stage, Kind.BACKWARD_INPUT, chunk)}
    if kind is Kind.FORWARD:
        return {Action(stage - 1, kind, chunk)} if stage else set()
    needed = {Action(stage, Kind.FORWARD, chunk)}
    return needed if stage == stages - 1 else needed | {Action(stage + 1, kind, chunk)}
