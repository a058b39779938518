"""Records from torch where results lie in memory (tests/differential/layout_cases.py)."""

from __future__ import annotations

import torch
from tests.differential.layouts import run, seeds
from tests.differential.test_layouts import RECORDED, describe
from tests.recorded import save

if __name__ == "__main__":
    torch.set_num_threads(1)
    found = {}
    for expression, shape, way in seeds(RECORDED):
        found[f"{expression} of {shape}"] = describe(run(expression, shape, way, torch))
    save("layouts", found)
