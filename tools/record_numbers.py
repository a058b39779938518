"""Record what torch gives at the edge of what a dtype holds as tests/data/edge_numbers.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_numbers``.
"""

from __future__ import annotations

import torch
from tests.recorded import outcome, save
from tests.tensor.number_cases import EXPRESSIONS

if __name__ == "__main__":
    save("edge_numbers", {expression: outcome(expression, torch) for expression in EXPRESSIONS})
