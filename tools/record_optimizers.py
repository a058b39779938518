"""Record ten steps of every optimizer, and the rates of every schedule, as torch does them.

Run with a Python that has torch, from the project's root: ``python -m tools.record_optimizers``.
"""

from __future__ import annotations

import torch
from tests.optim.programs import CONFIGURATIONS, SCHEDULES, averages, rates, steps
from tests.recorded import save


def main() -> None:
    save("optimizers", {name: steps(name, torch) for name in CONFIGURATIONS})
    save("schedules", {name: rates(name, torch) for name in SCHEDULES})
    save("averages", averages(torch))


if __name__ == "__main__":
    main()
