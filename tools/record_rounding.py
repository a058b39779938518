"""Record the last bits of torch's L-BFGS as tests/data/rounding.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_rounding``, on a processor
of AMD's: MKL adds dot products in other orders on Intel's.
"""

from __future__ import annotations

import torch
from tests.optim.rounding_cases import runs, sums
from tests.recorded import save


def main() -> None:
    torch.set_num_threads(1)
    record = {"sums": sums(torch), "runs": runs(torch)}
    save("rounding", record)
    print(f"{len(record['sums'])} lengths, {len(record['runs'])} runs")


if __name__ == "__main__":
    main()
