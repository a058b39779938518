"""Index containers, and update them by pairs."""

import operator
from collections.abc import Iterable, Iterator
from typing import Any


def position(index: Any, length: int) -> int:
    """Return the place that an index means in a list, counted from its start."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def pairs(values: Iterable[Any], container: str) -> Iterator[Any]:
    """Yield the elements, each checked to be a pair."""
    for i, pair in enumerate(values):
        where = f"{container} update sequence element #{i}"
        if not isinstance(pair, Iterable):
            raise TypeError(f"{where} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:  # type: ignore[arg-type]  # torch asks for it of whatever is iterable
            raise ValueError(f"{where} has length {len(pair)}; 2 is required")  # type: ignore[arg-type]  # as above
        yield pair
