"""Why compiled functions run eagerly: what a program cannot hold, and what the user chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Unsupported(RuntimeError):
    """A function does what a program cannot hold; it runs eagerly."""


class MakesState(Exception):
    """A call leaves new tensors in the user's containers, as the first step of L-BFGS does.

    Later calls find them there and need another program: this one runs eagerly, and nothing is compiled
    for it.

    Attributes
    ----------
    places : list of Bond
        Where a tensor, or None, was replaced by another one.
    """

    def __init__(self, places: Sequence[Any] = ()) -> None:
        super().__init__()
        self.places = places


#: What `set_stance` has chosen, if it is not the default.
STANCE: list[str] = []
