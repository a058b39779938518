"""The op samples, compiled: values, dtypes and gradients are eager's.

A run of the suite takes a share of the rows, the same in each run; ``nox -s compiled`` takes them all.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("llvmlite")

from tests.compiler.op_table import ROWS, differences
from tests.ops.samples import Sample

#: One in so many rows.
SHARE = 1 if os.environ.get("PULLBACK_ALL_COMPILED") else 16
#: Loops and branches hold programs that were recorded in float64 and take nothing else.
OF_ANY_DTYPE = [sample for sample in ROWS if sample.op not in ("scan", "while_loop", "cond")]


@pytest.mark.parametrize("sample", ROWS[::SHARE], ids=str)
def test_a_compiled_op_is_eagers(sample: Sample) -> None:
    assert not differences(sample)


@pytest.mark.parametrize("sample", OF_ANY_DTYPE[SHARE // 2 :: SHARE], ids=str)
def test_a_compiled_op_is_eagers_in_float32(sample: Sample) -> None:
    try:
        found = differences(sample, "float32")
    except (RuntimeError, TypeError, ValueError) as error:
        pytest.skip(f"eager takes no float32 here: {error}")
    assert not found
