"""torch.distributed.elastic.multiprocessing.errors: errors of a process, told to the one that started it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["record"]


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """Mark a program's main function; its errors are raised as they are, there being nobody else to tell.

    Parameters
    ----------
    fn : callable
    error_handler : optional
        Not asked.
    """
    return fn
