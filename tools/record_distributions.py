"""Record what torch.distributions does: values, draws, gradients, errors.

Run with a Python that has torch, from the project's root: ``python -m tools.record_distributions``.
"""

from __future__ import annotations

import torch
from tests.distributions.observe import DISTRIBUTIONS, observe
from tests.recorded import save


def main() -> None:
    save("distributions", {name: observe(expression, torch) for name, expression in DISTRIBUTIONS.items()})


if __name__ == "__main__":
    main()
