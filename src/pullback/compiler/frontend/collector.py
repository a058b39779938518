"""Trace and build a program without the collector of reference cycles.

All that a compiler makes lives until the program is built. The collector looks through it again and again and
finds nothing, which takes 0.08 of 0.55 s of a first call. The switch is the process's: where other threads
run, it stays as it is.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave the collector aside for a while, where it is on and serves this thread alone."""
    if not gc.isenabled() or threading.active_count() > 1:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
