"""Record what torch.distributions does: values, draws, gradients, errors.

Run with a Python that has torch, from the project's root: ``python -m tools.record_distributions``.
"""

from __future__ import annotations

import json

import torch
from tests.distributions.divergences import divergences, registered
from tests.distributions.draws import EXACT, draws
from tests.distributions.expressions import EXPRESSIONS, evaluate
from tests.distributions.observe import DISTRIBUTIONS, observe
from tests.recorded import save


def main() -> None:
    save("distributions", {name: observe(expression, torch) for name, expression in DISTRIBUTIONS.items()})
    save("divergences", {"registered": registered(torch), "values": divergences(torch)})
    save("distribution_draws", {e: json.dumps(draws(e, torch)) for e in EXACT})
    save("distribution_expressions", {e: evaluate(e, torch) for e in EXPRESSIONS})


if __name__ == "__main__":
    main()
