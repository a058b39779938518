"""A suite of whole steps in torch's interface: samples of what users run, known to no code of pullback.

`python -m benchmarks --suite` measures the open steps, `--held` those that are kept aside.
"""

from __future__ import annotations

from benchmarks.suite import held, probability, science, sequence, tables, vision  # noqa: F401  # enter steps
from benchmarks.suite.steps import HELD, OPEN

__all__ = ["HELD", "OPEN"]
