"""All rows of the table in order: one file per group of workloads, one function per family of peers."""

from __future__ import annotations

from benchmarks.case import AnyRow
from benchmarks.workloads import (
    call,
    conv,
    cost,
    dense,
    derivative,
    first,
    gpt,
    large,
    many,
    mlp,
    scalar,
    sequence,
    small,
)

_GROUPS = (small, scalar, mlp, conv, gpt, dense, derivative, cost, large, many, call, first, sequence)

ROWS: dict[str, AnyRow] = {row.name: row for group in _GROUPS for row in group.ROWS}
