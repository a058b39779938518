"""The benchmark's workloads compute in pullback what they compute in torch, so that their times compare."""

from __future__ import annotations

import pytest
from benchmarks import report
from benchmarks.case import Library, Row
from benchmarks.peers import unchanged
from benchmarks.run import TOLERANCE, chosen_rows
from benchmarks.workloads import ROWS

import pullback
from tests.recorded import load

RECORDED = load("benchmarks")


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if isinstance(row, Row)])
def test_first_numbers_are_those_of_torch(name: str) -> None:
    row = ROWS[name]
    assert isinstance(row, Row)
    case = row.builders["torch"](Library(pullback, unchanged))
    numbers = [case.number(case.step()) for _ in RECORDED[name]]
    assert numbers == pytest.approx(RECORDED[name], rel=TOLERANCE, abs=TOLERANCE)


def test_every_workload_of_the_table_is_there() -> None:
    assert [row.group for row in chosen_rows("b,c,d,e,f,g,h,i,j,k")] == list("bcdefghijk")
    assert {row.group for row in ROWS.values()} == set("abcdefghijklmnopq")


def test_rows_are_chosen_by_group_name_and_beginning() -> None:
    assert [row.name for row in chosen_rows("a-mul-0d,l-hessian")] == [
        "a-mul-0d",
        "a-mul-0d-grad",
        "l-hessian",
        "l-hessian-vectorized",
    ]
    with pytest.raises(SystemExit, match="no row matches 'z'"):
        chosen_rows("z")


def test_a_line_shows_figures_ratios_and_the_verdict() -> None:
    peers = {"pullback": {"median": 48.7, "ratio": 0.41}, "torch": {"median": 1234.5, "ratio": 1.0}}
    entry = report.describe(ROWS["b"]) | {"peers": peers, "failures": {"autograd": "Traceback"}}
    line = report.line(entry, ["pullback", "torch", "jax.jit", "autograd"])
    assert line.split("ops")[1].split() == [
        "48.7", "(0.41)", "1,234", "(1.00)", "–", "failed", "≤", "0.7:", "reached",
    ]  # fmt: skip
