"""Find what is wrong in a program without being asked.

Each module looks at one side of a run. Those imported here check single calls and declare which
(`collected.calls_of`); the others are told of the run by `explain.watch`: `reach` of histories that ended,
`values` of numbers that are not finite, `loop` of optimizers, `functions` of custom functions.
"""

from . import axes, by_hand, data, draws, indices, layers, losses, recurrent, sizes, targets  # noqa: F401
