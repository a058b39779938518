"""Record what pipelines give in torch with gloo, on 2 and on 4 ranks, as tests/data/pipelines.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_pipelines``.
"""

from __future__ import annotations

from tests.distributed.side_by_side import run_in_torch
from tests.recorded import save

if __name__ == "__main__":
    save("pipelines", {ranks: run_in_torch("pipelines.py", ranks=ranks, timeout=600) for ranks in (2, 4)})
