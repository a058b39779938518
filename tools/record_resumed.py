"""Record where torch's optimizers come to from a checkpoint as tests/data/resumed.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_resumed``.
"""

from __future__ import annotations

import torch
from tests.optim.resumed_cases import OPTIMIZERS, resumed
from tests.recorded import save


def main() -> None:
    save("resumed", {name: resumed(torch, name) for name in OPTIMIZERS})
    print(f"{len(OPTIMIZERS)} optimizers")


if __name__ == "__main__":
    main()
