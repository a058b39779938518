"""Record torch's promotion of all pairs of operands as tests/data/promotion.json.

An operand is a tensor with dimensions, a zero-dimensional tensor or a Python number. A row is one operand
with each of the others; an entry is a dtype's short name, or ``!Short/UInt16`` where torch refuses.

Run with a Python that has torch, from the project's root: ``python -m tools.record_promotion``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from tests.recorded import save

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32,
    torch.uint64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex32, torch.complex64,
    torch.complex128,
]
DEFAULTS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
OPERANDS = [
    *(torch.ones(2, dtype=dtype) for dtype in DTYPES),
    *(torch.ones((), dtype=dtype) for dtype in DTYPES),
    True, 1, 1.0, 1j,
]


def entry(function: Callable[[Any, Any], torch.dtype], a: Any, b: Any) -> str:
    """One entry of a table."""
    try:
        return function(a, b).abbr
    except RuntimeError as error:
        refused = re.search(r"attempted to promote (\w+) and (\w+)$", str(error))
        if refused is None:
            raise
        return f"!{refused[1]}/{refused[2]}"


def table(function: Callable[[Any, Any], torch.dtype], operands: list[Any]) -> list[str]:
    """All pairs, a string per row."""
    return [" ".join(entry(function, a, b) for b in operands) for a in operands]


def main() -> None:
    """Write the data file."""
    results = {}
    for default in DEFAULTS:
        torch.set_default_dtype(default)
        results[default.abbr] = table(torch.result_type, OPERANDS)
    torch.set_default_dtype(torch.float32)
    save("promotion", {
        "torch": torch.__version__,
        "dtypes": [dtype.abbr for dtype in DTYPES],
        "numbers": ["bool", "int", "float", "complex"],
        "promote_types": table(torch.promote_types, DTYPES),
        "can_cast": ["".join("01"[torch.can_cast(a, b)] for b in DTYPES) for a in DTYPES],
        "result_type": results,
    })


if __name__ == "__main__":
    main()
