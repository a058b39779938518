"""The benchmark's workloads compute in pullback what they compute in torch, so that their times compare."""

from __future__ import annotations

import pytest
from benchmarks import probe, report
from benchmarks.case import Library, Row
from benchmarks.peers import BY_NAME, unchanged
from benchmarks.run import TOLERANCE, chosen_rows
from benchmarks.suite import HELD, OPEN
from benchmarks.worker import _Bench
from benchmarks.workloads import ROWS

import pullback
from tests.recorded import load

RECORDED = load("benchmarks")


SUITE = OPEN | HELD
STEPS = ROWS | SUITE


@pytest.mark.parametrize("name", [name for name, row in STEPS.items() if isinstance(row, Row)])
def test_first_numbers_are_those_of_torch(name: str) -> None:
    row = STEPS[name]
    assert isinstance(row, Row)
    case = row.builders["torch"](Library(pullback, unchanged))
    numbers = [case.number(case.step()) for _ in RECORDED[name]]
    assert numbers == pytest.approx(RECORDED[name], rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize("name", [name for name, row in SUITE.items() if "jax" in row.builders])
def test_steps_in_jax_give_the_same_first_numbers(name: str) -> None:
    jax = pytest.importorskip("jax")
    case = SUITE[name].builders["jax"](Library(jax, unchanged))
    numbers = [case.number(case.step()) for _ in RECORDED[name]]
    assert numbers == pytest.approx(RECORDED[name], rel=TOLERANCE, abs=TOLERANCE)


def test_every_workload_of_the_table_is_there() -> None:
    assert [row.group for row in chosen_rows("b,c,d,e,f,g,h,i,j,k")] == list("bcdefghijk")
    assert {row.group for row in ROWS.values()} == set("abcdefghijklmnopqr")


def test_a_third_of_the_suite_is_kept_aside() -> None:
    assert OPEN.keys().isdisjoint(HELD)
    assert len(OPEN) + len(HELD) >= 80
    assert round(len(OPEN) / len(HELD)) == 2


def test_means_tell_the_rows_that_are_slowest() -> None:
    rows = [
        {"name": name, "peers": {p: {"median": m} for p, m in medians.items()}}
        for name, medians in {
            "a": {"pullback": 2.0, "pullback.compile": 1.0, "torch": 4.0, "jax.jit": 2.0},
            "b": {"pullback": 8.0, "pullback.compile": 8.0, "torch": 4.0},
        }.items()
    ]
    figures = "geometric mean 1.00, 1 of 2 rows at most 1; slowest b 2.00, a 0.50"
    assert report.means({"rows": rows}) == [
        f"pullback.compile to the fastest peer: {figures}", f"pullback to torch: {figures}",
    ]  # fmt: skip


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


def test_what_a_compiled_row_moves_and_computes_is_set_beside_the_machine() -> None:
    pytest.importorskip("llvmlite")
    bench = _Bench("pullback.compile", 1e-6)
    bench.open("l-jacobian")
    told = bench.ceiling(None)
    # The product of the weight and the point is 2 · 64², the Jacobian scales the weight's rows.
    assert told["flops"] >= 2 * 64**2 + 64**2
    assert told["bytes"] >= 4 * 2 * 64**2
    moving, computing = told["bytes"] / told["bandwidth"], told["flops"] / told["products"]
    assert max(moving, computing) <= told["least_us"] * 1e-6 * (1 + 1e-9)
    assert told["least_us"] * 1e-6 <= moving + computing


def test_shares_of_the_ceiling_have_a_table_of_their_own() -> None:
    told = {"bytes": 48e6, "flops": 2e6, "least_us": 500.0, "bandwidth": 40e9, "products": 200e9}
    entry = report.describe(ROWS["j"]) | {
        "peers": {"pullback.compile": {"median": 1000.0, "ratio": None}}, "failures": {},
        "ceilings": {"pullback.compile": told},
    }  # fmt: skip
    assert report.ceiling_rows({"rows": [entry]})[1:] == [
        ["j", "pullback.compile", "48", "2", "1,000", "500", "50%", "40", "200"]
    ]
    assert report.ceiling_rows({"rows": [entry | {"ceilings": {}}]}) == []


def test_first_calls_and_peak_memory_are_judged_by_the_compiled_peer() -> None:
    assert [row.name for row in chosen_rows("r-first-d,r-memory-f")] == [
        "r-first-d", "r-memory-f", "r-memory-f-cached",
    ]  # fmt: skip
    peers = {name: {"median": 0.8, "ratio": None} for name in ("pullback.compile", "torch.compile")}
    entry = report.describe(ROWS["r-first-d"]) | {"peers": peers, "failures": {}}
    assert report.verdict(entry) == "≤ 1: reached"


def test_probes_of_rows_give_seconds_and_megabytes() -> None:
    assert probe.call(BY_NAME["pullback.compile"], "l-jacobian")["seconds"] > 0
    assert probe.peak(BY_NAME["pullback"], "l-jacobian")["peak_mb"] >= 0
