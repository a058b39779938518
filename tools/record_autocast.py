"""Record which precision torch runs the calls of tests/autocast_cases.py in, as tests/data/autocast.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_autocast``.
"""

from __future__ import annotations

import warnings

import torch
from tests.autocast_cases import CASES, precision
from tests.recorded import save

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    save("autocast", {case: precision(case, torch, "bfloat16") for case in CASES})
