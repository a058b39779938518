"""Hold the ops that the mechanism itself is made of: the core names no op, so the table of ops provides them.

The engine brings covectors to their edges, in-place updates write through views, forward mode conjugates, and
batching moves axes about, each by an op of the table, so that all of it is differentiable and traceable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

#: Sum a value to a shape.
sum_to: Callable[[Any, tuple[int, ...]], Any]
#: Cast a covector to the dtype of an edge.
convert: Callable[[Any, np.dtype[Any]], Any]
#: Copy a covector for the leaf that keeps it.
copy_of: Callable[[Any], Any]
#: ``put(base, source, steps, strides)``: the base with what the view steps select replaced by the source.
put: Callable[[Any, Any, tuple[Any, ...], tuple[int, ...] | None], Any]
clone: Callable[[Any], Any]
#: Give a value the layout of strides.
lay_out: Callable[[Any, tuple[int, ...]], Any]
cast: Callable[[Any, np.dtype[Any]], Any]
conj: Callable[[Any], Any]
#: Move a batch axis to the front: ``front(value, axis)``.
front: Callable[[Any, int], Any]
#: Repeat a value along a new first axis: ``expand(value, (size, *shape))``.
expand: Callable[[Any, tuple[int, ...]], Any]
reshape: Callable[[Any, tuple[int, ...]], Any]
#: Take an element along the first axis.
select: Callable[[Any, int], Any]
#: Stack values along a new first axis.
stack: Callable[[Sequence[Any]], Any]


def provide(**ops: Callable[..., Any]) -> None:
    """Take all of them, by name."""
    globals().update(ops)
