"""Record what torch answers to the calls of tests/testing_cases.py as tests/data/testing.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_testing``.
"""

from __future__ import annotations

import torch
from tests.recorded import outcome, save
from tests.testing_cases import CASES

if __name__ == "__main__":
    save("testing", {case: outcome(case, torch) for case in CASES})
