"""Record the first numbers that the benchmark's workloads give in torch as tests/data/benchmarks.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_benchmarks``.
"""

from __future__ import annotations

import torch
from benchmarks.case import Library, Row
from benchmarks.peers import unchanged
from benchmarks.suite import HELD, OPEN
from benchmarks.worker import CHECKED_STEPS
from benchmarks.workloads import ROWS
from tests.recorded import save


def main() -> None:
    library = Library(torch, unchanged)
    data = {}
    for row in (ROWS | OPEN | HELD).values():
        if isinstance(row, Row):
            case = row.builders["torch"](library)
            # What trains goes on from step to step; a single op gives the same again.
            steps = 1 if row.group == "o" else CHECKED_STEPS
            data[row.name] = [case.number(case.step()) for _ in range(steps)]
    save("benchmarks", data)


if __name__ == "__main__":
    main()
