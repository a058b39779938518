"""Trace and build a program without the collector of reference cycles.

All that a compiler makes lives until the program is built. The collector looks through it again and again and
finds nothing, which takes 0.08 of 0.55 s of a first call, and 0.8 of 3.4 s of 5,000 irregular ops with their
gradient. The switch is the process's: where threads run that this package did not start, it stays as it is.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from ...array.blas import has_foreign_threads

#: Objects made meanwhile from which that pays. To count those that a program has frozen, all are visited.
_MANY = 10_000


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave the collector aside for a while, where it is on and serves this thread alone."""
    if not gc.isenabled() or has_foreign_threads():
        yield
        return
    # An interrupt may come after each call: it is to find the switch as it was, too.
    try:
        gc.disable()
        yield
    finally:
        try:
            if gc.get_count()[0] > _MANY and not gc.get_freeze_count():
                # Into the oldest generation, as what has been looked through: the next allocation would look.
                gc.freeze()
                gc.unfreeze()
        finally:
            gc.enable()
