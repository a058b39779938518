"""torch.distributed.checkpoint.planner: the classes that say how a checkpoint is written and read.

Checkpoints are written and read in one way here, which the options of the default planners decide
(`default_planner.py`); planners with methods of their own are refused where they are used.
"""

from __future__ import annotations

from typing import Any


class SavePlanner:
    """Name what `DefaultSavePlanner` is."""


class LoadPlanner:
    """Name what `DefaultLoadPlanner` is."""


def default_or_refused(planner: Any, kinds: tuple[type, ...]) -> Any:
    """Return a planner that is of these classes, or None.

    Raises
    ------
    NotImplementedError
        It is of another class, such as one of the program's own.
    """
    if planner is not None and type(planner) not in kinds:
        names = " and ".join(kind.__name__ for kind in kinds)
        raise NotImplementedError(
            f"torch.distributed.checkpoint takes {names} in pullback, no planner of another class "
            f"({type(planner).__name__})."
        )
    return planner


for _class in (SavePlanner, LoadPlanner):
    _class.__module__ = "torch.distributed.checkpoint.planner"

__all__ = ["LoadPlanner", "SavePlanner"]
