"""Scalar forms of elementwise ops, run by the reference handler on each element: together they are what the
op's array kernel gives. Complex elements are pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.array import dtypes
from pullback.compiler.lower.elementwise import Unwritten, form
from pullback.compiler.lower.handlers import PARTS, Pair
from pullback.compiler.lower.pairs import Pairs
from pullback.core.op import TABLE
from tests.ops import capabilities
from tests.ops.samples import Sample

from .reference import Reference

ROWS = [
    row for row in capabilities.ROWS
    if TABLE[row.op].kind == "elementwise" and not any(v is None for v in row.inputs)
]  # fmt: skip


def _elements(sample: Sample, result: Any) -> list[Any]:
    op, ops = TABLE[sample.op], Pairs(Reference({}, {}))
    common = dtypes.result_numpy_dtype(sample.inputs)
    inputs = [np.asarray(v, common if op.promote else None) for v in sample.inputs]
    inputs = [np.broadcast_to(v, result.shape) for v in inputs]
    found = [
        form(op)(ops, *(_scalar(v[at]) for v in inputs), *sample.attrs) for at in np.ndindex(result.shape)
    ]
    return [complex(*x) if isinstance(x, Pair) else x for x in found]


def _scalar(x: Any) -> Any:
    return Pair(x.real, x.imag) if x.dtype in PARTS else x


@pytest.mark.parametrize("sample", ROWS, ids=str)
def test_a_form_is_its_kernel(sample: Sample) -> None:
    result = TABLE[sample.op].evaluate(sample.inputs, sample.attrs)
    try:
        found = _elements(sample, result)
    except Unwritten:
        pytest.skip("no handler has what the kernel computes")
    np.testing.assert_allclose(np.reshape(found, result.shape), result, rtol=1e-12)


@pytest.mark.parametrize("name", ["sign", "sgn"])
def test_the_sign_of_a_negative_zero_and_of_nan_is_zero(name: str) -> None:
    ops = Reference({}, {})
    numbers = np.array([-0.0, 0.0, -3.0, 2.0, np.inf, np.nan])
    got = [form(TABLE[name])(ops, x) for x in numbers]
    np.testing.assert_array_equal(got, [0, 0, -1, 1, 1, 0])
    assert not np.signbit(got[0])


def test_a_kernel_that_looks_at_values_has_no_form() -> None:
    with pytest.raises(Unwritten):
        form(TABLE["remainder"])(Reference({}, {}), np.int64(3), np.int64(2))
