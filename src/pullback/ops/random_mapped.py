"""Random draws inside vmap: rows of the batch get numbers of their own, the same ones, or an error.

What this module must do:

- refuse draws where a vmap around them was not told what to do (`randomness="error"`, the default);
- draw once for all rows at a level whose rows are to be different, with that level's axis first, so that the
  stream is used as torch uses it;
- hide the axes of the levels again in the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.batched import Batched, Mapping, mappings
from ..core.op import Term, Terms
from ..core.value import TensorBase, shape_of, wrap
from .structure import expand, reshape

Mappings = tuple[Mapping, ...]


def current() -> Mappings:
    """Return the vmaps around, outermost first; torch's error where one of them forbids random draws."""
    around = mappings.get()
    for mapping in around:
        if mapping.randomness == "error":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' "
                "or 'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )
    return around


def hidden(array: ndarray, around: Mappings) -> Any:
    """Return a tensor around an array whose first axes are those of the levels with different rows."""
    tensor = wrap(array)
    for mapping in around:
        if mapping.randomness == "different":
            tensor = wrap(Batched(tensor, 0, mapping.level), None, mapping.level)
    return tensor


def draw(
    fill: Callable[[ndarray], ndarray], shape: tuple[int, ...], dtype: np.dtype[Any], around: Mappings
) -> Any:
    """Return a tensor of new numbers; `fill` draws for a whole array."""
    sizes = tuple(m.size for m in around if m.randomness == "different")
    return hidden(fill(np.empty((*sizes, *shape), dtype)), around)


def draw_rows(row: Callable[[], ndarray], around: Mappings) -> Any:
    """Return a tensor of new numbers where a draw gives one row only."""
    sizes = tuple(m.size for m in around if m.randomness == "different")
    rows = [row() for _ in range(int(np.prod(sizes)))]
    return hidden(np.stack(rows).reshape(*sizes, *rows[0].shape), around)


def is_batched(value: Term, level: int) -> bool:
    """Return whether a value has a batch axis at a level."""
    while isinstance(value, (TensorBase, Batched)):
        if isinstance(value, Batched):
            if value._level == level:
                return True
            value = value.value
        else:
            value = value._value
    return False


def prepared(inputs: Terms, around: Mappings) -> tuple[Any, ...]:
    """Return inputs whose values a draw needs, the first batched at every level whose rows differ."""
    first, *others = inputs
    for mapping in around:
        batched = any(is_batched(v, mapping.level) for v in inputs)
        if mapping.randomness == "same":
            if batched:
                raise RuntimeError(
                    "Vmap does not currently support same randomness with a batched tensor input. Please "
                    "file an issue with functorch"
                )
        elif not is_batched(first, mapping.level):
            shape = shape_of(first)
            whole = expand(reshape(first, (1, *shape)), (mapping.size, *shape))
            first = wrap(Batched(whole, 0, mapping.level), None, mapping.level)
    return (first, *others)


def shares_rows(x: Term, around: Mappings) -> bool:
    """Return whether rows of `x` are to get the same numbers."""
    return any(m.randomness == "same" and is_batched(x, m.level) for m in around)


def check_writable(x: Term, around: Mappings) -> None:
    """Raise torch's error for different draws into a tensor that is the same for all rows."""
    for mapping in around:
        if mapping.randomness == "different" and not is_batched(x, mapping.level):
            raise RuntimeError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear "
                "like same randomness. If this is necessary for your usage, please file an issue with "
                "functorch."
            )
