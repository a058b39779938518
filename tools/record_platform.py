"""Record what torch answers to the expressions of tests/platform_cases.py as tests/data/platform.json.

Run with a Python that has torch (a build for the CPU), from the project's root:
``python -m tools.record_platform``.
"""

from __future__ import annotations

import torch
from tests.platform_cases import SAME
from tests.recorded import outcome, save

if __name__ == "__main__":
    save("platform", {expression: outcome(expression, torch) for expression in SAME})
