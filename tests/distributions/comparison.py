"""How results are compared with recorded ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

#: By dtypes, and of gradients. In torch the incomplete gamma function is right to 9 digits, the derivative of
#: digamma to 8.
TOLERANCES = {
    "float64": 1e-9, "float32": 2e-6, "int64": 0.0, "bool": 0.0, "slopes": 2e-8, "float32 slopes": 2e-6
}  # fmt: skip


def compare(got: Any, expected: Any) -> None:
    """Texts must be equal, numbers agree to rounding."""
    if isinstance(expected, list) and len(expected) == 2 and str(expected[0]) in TOLERANCES:
        assert got[0] == expected[0]
        compare_numbers(json.loads(got[1]), json.loads(expected[1]), TOLERANCES[expected[0]])
    elif isinstance(expected, list):
        assert isinstance(got, list)
        assert len(got) == len(expected), got
        for mine, other in zip(got, expected):
            compare(mine, other)
    elif isinstance(expected, float):
        np.testing.assert_allclose(got, expected, 1e-6)
    else:
        assert got == expected


def compare_numbers(got: Any, expected: Any, tolerance: float) -> None:
    """Numbers in nested lists, None where there is none."""
    if isinstance(expected, list):
        assert len(got) == len(expected)
        for mine, other in zip(got, expected):
            compare_numbers(mine, other, tolerance)
    elif expected is None:
        assert got is None
    else:
        np.testing.assert_allclose(got, expected, tolerance, tolerance)
