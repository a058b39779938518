"""Record what torch says about each mistake of tests/errors as tests/data/errors.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_errors``.
"""

from __future__ import annotations

import torch
from tests.errors.cases import cases
from tests.errors.outcome import outcome
from tests.recorded import save


def main() -> None:
    # Also those warnings that torch gives once in a process, so that the order does not matter.
    torch.set_warn_always(True)
    torch.func.jvp(torch.sin, (torch.ones(1),), (torch.ones(1),))  # imports what itself warns
    record = {name: outcome(case, torch) for name, case in cases().items()}
    save("errors", record)
    silent = sum(item["error"] is None and not item["warnings"] for item in record.values())
    print(f"{len(record)} cases, of which torch accepts {silent} without a word")


if __name__ == "__main__":
    main()
