"""(m) and (n): what a node costs in time and memory, and what the package costs to import and to install.

Measured by ``benchmarks/probe.py`` in a fresh process per sample, because memory that a process has held
before, or a module that it has imported before, would hide the cost.
"""

from __future__ import annotations

from benchmarks.case import ProcessRow

_EAGER = frozenset({"torch", "autograd", "mygrad"})
_ALL = _EAGER | {"jax", "tinygrad"}

ROWS = [
    ProcessRow(
        "m-time", "chain of 1,000,000 nodes: build + backward, per node", "chain", "node_us", "µs", _EAGER
    ),
    ProcessRow(
        "m-bytes",
        "chain of 1,000,000 nodes: memory of a node",
        "chain",
        "node_bytes",
        "bytes",
        _EAGER,
        target=400.0,
    ),
    ProcessRow("n-import", "import time", "import", "import_us", "µs", _ALL, target=150_000.0),
    ProcessRow("n-size", "installed size of the package", "import", "size_mb", "MB", _ALL),
    ProcessRow("n-size-all", "installed size with its dependencies", "import", "size_all_mb", "MB", _ALL),
]
