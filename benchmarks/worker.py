"""The process in which one peer lives: it builds cases on request and times them.

The parent sends ``(command, argument)`` and gets ``("ok", value)`` or ``("error", text)``:

* ``("open", row name)`` builds the case, returns its first numbers, warms up and fixes how often a sample
  repeats it;
* ``("sample", None)`` returns the microseconds of one repetition, averaged over one sample;
* ``("ceiling", None)`` returns what the case's compiled functions move and compute, and how long that takes
  at the machine's measured bandwidth and rate of matrix products;
* ``("close", None)`` frees the case and returns why the functions that it compiled run eagerly, if any does.

The garbage collector stays on: a library that makes many Python objects pays for collecting them in real use
too.
"""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.case import Case, Library, Row
from benchmarks.peers import BY_NAME, load
from benchmarks.suite import HELD, OPEN
from benchmarks.workloads import ROWS

CHECKED_STEPS = 3
MOST_REPETITIONS = 100_000


def _time(case: Case, repetitions: int) -> float:
    """Seconds that one sample of ``repetitions`` steps takes."""
    step = case.step
    start = time.perf_counter()
    for _ in repeat(None, repetitions):
        step()
    return time.perf_counter() - start


def _calibrate(case: Case, sample_seconds: float) -> int:
    """Repetitions that fill a sample; the calls made on the way are the warm-up."""
    repetitions = 1
    while True:
        seconds = _time(case, repetitions)
        if seconds >= sample_seconds or repetitions >= MOST_REPETITIONS:
            return repetitions
        growth = sample_seconds / max(seconds, 1e-9)
        repetitions = min(MOST_REPETITIONS, max(repetitions + 1, int(repetitions * min(growth * 1.1, 10.0))))


class _Bench:
    def __init__(self, peer_name: str, sample_seconds: float) -> None:
        self.peer = BY_NAME[peer_name]
        self.library: Library = load(self.peer)
        self.sample_seconds = sample_seconds
        self.case: Case | None = None
        self.repetitions = 1
        self.compiled: list[Any] = []

    def _remembering(self) -> Library:
        """The library, with the functions that it compiles kept."""

        def compile(function: Callable[..., Any]) -> Callable[..., Any]:
            self.compiled.append(self.library.compile(function))
            return self.compiled[-1]

        return replace(self.library, compile=compile)

    def open(self, row_name: str) -> dict[str, Any]:
        row = (ROWS | OPEN | HELD)[row_name]
        assert isinstance(row, Row)
        library = self._remembering() if self.peer.tells else self.library
        self.case = case = row.builders[self.peer.family](library)
        numbers = [case.number(case.step()) for _ in range(CHECKED_STEPS)]
        self.repetitions = _calibrate(case, self.sample_seconds)
        return {"numbers": numbers, "repetitions": self.repetitions}

    def sample(self, _: None) -> float:
        assert self.case is not None
        return _time(self.case, self.repetitions) / self.repetitions * 1e6

    def ceiling(self, _: None) -> dict[str, float]:
        tables = [call.timeline() for call in self.compiled]
        bandwidth, products = tables[0].ceilings
        steps = [row for table in tables for row in table.rows]
        return {
            "bytes": sum(row.bytes for row in steps),
            "flops": sum(row.flops for row in steps),
            "least_us": sum(table.least for table in tables) * 1e6,
            "bandwidth": bandwidth,
            "products": products,
        }

    def close(self, _: None) -> list[str]:
        natives = [getattr(call, "_call", call)._native for call in self.compiled]
        reasons = [native.eager_because for native in natives if native is not None and native.eager_because]
        self.case = None
        self.compiled.clear()
        gc.collect()
        return reasons


def serve(connection: Connection, peer_name: str, sample_seconds: float) -> None:
    """Answer the parent's requests until it closes the connection."""
    bench: _Bench | None = None
    while True:
        try:
            command, argument = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            if bench is None:
                bench = _Bench(peer_name, sample_seconds)
            connection.send(("ok", getattr(bench, command)(argument)))
        except Exception:  # noqa: BLE001  # whatever a peer raises goes to the table
            if bench is not None:
                bench.close(None)
            connection.send(("error", traceback.format_exc(limit=-3)))
