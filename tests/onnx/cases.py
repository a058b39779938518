"""What a model that is exported is tested with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pullback as torch


class Case(NamedTuple):
    """A model, its example inputs, and which of their axes may have other sizes.

    `sizes` says by how much each of these axes is longer in the call that checks it.
    """

    build: Callable[[], Any]
    inputs: Callable[[], tuple[Any, ...]]
    dynamic: dict[str, dict[int, str]] | None = None
    longer: dict[str, int] | None = None


CASES: dict[str, Case] = {}


def case(
    inputs: Callable[[], tuple[Any, ...]], dynamic: Any = None, longer: dict[str, int] | None = None
) -> Callable[[Any], Any]:
    """Declare a model class or function that makes a model."""

    def declare(build: Any) -> Any:
        name = build.__name__
        assert name not in CASES
        CASES[name] = Case(build, inputs, dynamic, longer)
        return build

    return declare


def image(*size: int) -> Callable[[], tuple[Any, ...]]:
    return lambda: (torch.randn(*size),)


def tokens(*size: int, below: int = 40) -> Callable[[], tuple[Any, ...]]:
    return lambda: (torch.randint(0, below, size),)
