"""Tracing and building a program without the collector of reference cycles.

All that a compiler makes lives until the program is built. The collector looks through it again and again and
finds nothing; for a program of thousands of operations that takes a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave the collector aside for a while, where it is on."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
