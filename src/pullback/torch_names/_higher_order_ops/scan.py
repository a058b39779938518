"""Run a loop that carries a state along an axis and collects what each step gives."""

from collections.abc import Callable
from typing import Any

from ...func.loops import scan as scan_first
from ...tensor.tree import tree_map


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0,
    reverse: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Call ``state, y = combine_fn(state, x)`` for the places x of an axis one after the other.

    Parameters
    ----------
    combine_fn : callable
    init : tensors
        The first state.
    xs : tensors
    dim : int
        The axis of every tensor of `xs`.
    reverse : bool
        Begin at the end; results stay at the places of their x.

    Returns
    -------
    (tensors, tensors)
        The last state, and the y of all steps along a new first axis.
    """
    return scan_first(combine_fn, init, tree_map(lambda x: x.movedim(dim, 0), xs), reverse=reverse)
