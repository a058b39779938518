"""Record what torch shows of nested tensors as tests/data/nested.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_nested``.
"""

from __future__ import annotations

import warnings

import torch
from tests.recorded import save
from tests.tensor.nested_cases import seen


def main() -> None:
    warnings.simplefilter("ignore")  # torch calls nested tensors a prototype
    record = seen(torch)
    save("nested", record)
    print(f"{len(record)} expressions")


if __name__ == "__main__":
    main()
