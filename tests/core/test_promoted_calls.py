"""Operands of several dtypes meet in the same dtype in every call, and how they met is remembered."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pullback as torch
from pullback.core import op as module
from pullback.core.op import TABLE, Op
from tests.conftest import put_back

OPERANDS = {
    "single": torch.tensor([1.5, -2.0]), "double": torch.tensor([1e300, 2.0], dtype=torch.float64),
    "long": torch.tensor([[3, 4], [5, 6]]), "mask": torch.tensor([True, False]),
    "half": torch.tensor([0.5, 3.0], dtype=torch.float16), "number": 0.5, "whole": 3,
    "one long": torch.tensor(7), "one double": torch.tensor(1e300, dtype=torch.float64),
    "expanded": torch.tensor([[2], [3]], dtype=torch.int32).expand(2, 2), "complex": torch.tensor([1j, 2.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", ["add", "mul", "div", "atan2", "maximum", "lt"])
def test_a_second_call_gives_what_the_first_gave(name: str) -> None:
    op: Op = TABLE[name]
    op._met.clear()
    values = {k: v.numpy() if isinstance(v, torch.Tensor) else v for k, v in OPERANDS.items()}
    for first, a in values.items():
        for second, b in values.items():
            results = []
            for _ in range(2):
                try:
                    with warnings.catch_warnings(action="error"):
                        found = op.evaluate((a, b), ())
                    results.append((found.dtype, found.strides, found.tobytes()))
                except (RuntimeError, NotImplementedError, AttributeError) as error:
                    results.append(str(error))
            assert results[0] == results[1], (first, second)
            op._met.clear()


def test_how_dtypes_meet_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    op: Op = TABLE["mul"]
    op._met.clear()
    asked = []

    def promoted(inputs, *rest):
        asked.append(inputs)
        return real(inputs, *rest)

    real = module.promoted
    monkeypatch.setattr(module, "promoted", promoted)
    for size in (2, 3):
        result = op.evaluate((np.ones((2, size), np.float32), np.arange(size)), ())
        assert result.dtype == np.float32
    assert len(asked) == 1


def test_a_dtype_that_met_follows_the_default_dtype() -> None:
    whole = torch.tensor([1, 2])
    assert [(whole / 2).dtype for _ in range(2)] == [torch.float32] * 2
    torch.set_default_dtype(torch.float64)
    try:
        assert [(whole / 2).dtype for _ in range(2)] == [torch.float64] * 2
        assert (whole * 0.5).dtype == torch.float64
    finally:
        put_back()
