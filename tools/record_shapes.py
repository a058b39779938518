"""Record what torch says about shapes, strides, nodes and mistakes as tests/data/shapes.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_shapes``.
"""

from __future__ import annotations

import torch
from tests.recorded import outcome, save
from tests.tensor.shape_cases import EXPRESSIONS


def main() -> None:
    save("shapes", {expression: outcome(expression, torch) for expression in EXPRESSIONS})
    print(f"{len(EXPRESSIONS)} expressions")


if __name__ == "__main__":
    main()
