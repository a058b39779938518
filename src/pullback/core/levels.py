"""Levels: the order in which transforms run ops, and whether a transform is still running.

A level is a number; the highest among the inputs of an op runs it first. A transform enters a level of its
own, above every other, and ends it when the function that it transforms has returned. A tensor that has
escaped from there acts as what it wraps; one that has escaped from vmap cannot.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from .modes import change, modes


class Level(int):
    """The number of a level."""

    ended: bool = False  # whether the transform that entered it is over
    #: Whether it belongs to a transform of a function (else to `forward_ad.dual_level`).
    of_function: bool = False


#: The levels of tensors whose classes compute ops on them and of tensors without memory, below those of
#: transforms; they never end.
WRAPPER, META = 1, 2

_last = [META]


def fresh_level() -> Level:
    """Return a level above every one now in use."""
    _last[0] += 1
    return Level(_last[0])


@contextmanager
def entered_level(differentiating: bool = False) -> Iterator[Level]:
    """Yield a level above every one now in use, which ends with the block.

    Within the block ops take the general path, which knows levels, and a transform that differentiates
    refuses to write to tensors from outside.
    """
    level = fresh_level()
    level.of_function = True
    before = modes()
    if differentiating:
        change(transform=level, differentiating=level)
    else:
        change(transform=level)
    try:
        yield level
    finally:
        level.ended = True
        change(transform=before.transform, differentiating=before.differentiating)


def has_ended(level: int) -> bool:
    """Return whether the transform of a level is over; level 0, of plain tensors, never ends."""
    return isinstance(level, Level) and level.ended
