"""The node that a compiled function puts behind its results: its pullback is a compiled program, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.blame import is_freed, stamp
from ..core.node import MultiNode
from ..core.saved import blamed, damaged, freed


class CompiledFunctionBackward(MultiNode):
    """One call of a compiled function.

    ``_saved`` holds entries (array, version counter, version) of what the pullback reads.
    """

    __slots__ = ("_positions", "_pull")

    __module__ = "torch.autograd.function"

    _frees = True
    _pull: Callable[..., Sequence[ndarray]]
    _positions: tuple[int | None, ...]

    def backward(self, g: Any) -> tuple[Any, ...]:
        """Run the pullback on the covectors of the outputs; those that did not arrive are zero."""
        saved = self._saved
        if is_freed(saved):
            raise freed(self)
        for value, counter, version in saved:
            if counter is not None and counter[0] != version:
                raise blamed(damaged(value, counter, version, None), self, counter, version)
        covectors = [
            np.zeros(self._shape[k], self._dtype[k]) if v is None else np.asarray(v) for k, v in enumerate(g)
        ]
        results = self._pull([entry[0] for entry in saved], covectors)
        return tuple(None if p is None else results[p] for p in self._positions)

    def backward_graph(self, g: Any) -> tuple[Any, ...]:
        """Refuse: what native code computes is not recorded."""
        error = RuntimeError(
            "torch.compile with aot_autograd does not currently support double backward"
        )
        error.add_note(
            "Compile the function that calls backward twice as a whole, or call it without compile."
        )
        raise error


def boundary(
    edges: Sequence[Any], saved: Sequence[tuple[ndarray, Any, int]], shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[np.dtype[Any]], pull: Callable[..., Sequence[ndarray]],
    positions: Sequence[int | None],
) -> CompiledFunctionBackward:  # fmt: skip
    """Make the node of a call.

    Parameters
    ----------
    edges
        Of the inputs that require grad.
    saved
        What the pullback reads, and the versions that it had.
    shapes, dtypes
        Of the outputs that require grad.
    pull
        ``pull(saved arrays, covectors)`` gives the covectors of inputs.
    positions
        For each edge, which of these is its covector; None for an input that the outputs do not vary with.
    """
    node = CompiledFunctionBackward.__new__(CompiledFunctionBackward)
    node._edges = tuple(edges)
    node._saved = tuple(saved)
    node._shape = tuple(shapes)
    node._dtype = tuple(dtypes)
    node._pull = pull
    node._positions = tuple(positions)
    stamp(node)
    return node
