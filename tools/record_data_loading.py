"""Record what torch's data loaders and samplers give as tests/data/data_loading.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_data_loading``.
"""

from __future__ import annotations

import torch
from tests.recorded import save
from tests.utils.data_loading.programs import results

if __name__ == "__main__":
    save("data_loading", results(torch))
