"""Arguments that may be one number or one per spatial axis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def n_tuple(value: Any, n: int) -> tuple[Any, ...]:
    """`value` as a tuple, repeated n times when it is a single number."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * n
