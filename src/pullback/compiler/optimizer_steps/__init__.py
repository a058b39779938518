"""Do the steps of this package's optimizers for all parameters of a group at once.

Eager, one native loop does what `update` does where that pays, and until then, or without a compiler,
NumPy's passes over many parameters (`native`); in a trace, what the update of one parameter writes down is
written down again for the others (`traced`). All take what they do from the optimizer's own code.
`core.backend.optimizer_steps` asks here.
"""

from typing import Any

from ...core.tracer import is_tracing


def steps_of(optimizer: object, by_loops: bool = True) -> Any:
    """Return what has ``step(optimizer, group)``; None where each parameter takes its step by itself.

    Without `by_loops` it is by NumPy's passes, whatever could be compiled.
    """
    if is_tracing():
        from .traced import steps_in_trace

        return steps_in_trace(optimizer)
    from .native import native_steps

    return native_steps(optimizer, by_loops)
