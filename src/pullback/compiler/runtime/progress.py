"""Say on a terminal that a first call is still being compiled, once it has taken two seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds after which the line is written.
AFTER = 2.0


@contextmanager
def told(name: str) -> Iterator[None]:
    """Write a line to stderr where what is done within takes longer; nothing where that is no terminal."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield
        return
    timer = threading.Timer(AFTER, lambda: print(f"compile: {name} is being compiled …", file=stream))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
