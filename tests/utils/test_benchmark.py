"""Timing statements: how many runs, and what a measurement says. The clock is the test's own."""

from __future__ import annotations

import itertools

import pytest

import pullback as torch
from pullback.utils.benchmark import Compare, Measurement, Timer


def ticking(step: float) -> object:
    """A clock that goes on by a step each time it is read."""
    ticks = itertools.count()
    return lambda: next(ticks) * step


def told(measurement: Measurement) -> list[str]:
    return repr(measurement).splitlines()[1:]


def test_one_time() -> None:
    runs: list[int] = []
    timer = Timer(
        "runs.append(1)", timer=ticking(2e-3), globals={"runs": runs}, label="lab", sub_label="sub",
        description="desc",
    )  # fmt: skip
    found = timer.timeit(100)
    assert len(runs) == 102
    assert found.median == found.mean == pytest.approx(2e-5)
    assert told(found) == ["lab: sub", "desc", "  20.00 us", "  1 measurement, 100 runs , 1 thread"]


def test_blocks_fill_a_time() -> None:
    blocks: list[float] = []
    found = Timer("pass", timer=ticking(0.0625)).blocked_autorange(
        callback=lambda number, taken: blocks.append(taken), min_run_time=0.25
    )
    assert len(blocks) == len(found.times) == 4
    assert told(found) == [
        "pass", "  Median: 62.50 ms", "  IQR:    0.00 ms (62.50 to 62.50)",
        "  4 measurements, 1 runs per measurement, 1 thread",
    ]  # fmt: skip


def test_a_wide_spread_is_warned_of() -> None:
    found = Measurement(1, [1.0, 1.0, 2.0, 3.0, 3.0], Timer())
    assert found.iqr == 2.0
    assert found.has_warnings
    assert told(found)[-2:] == [
        "  WARNING: Interquartile range is 100.0% of the median measurement.",
        "           This suggests significant environmental influence.",
    ]


def test_threads_are_put_back() -> None:
    before = torch.get_num_threads()
    seen: list[int] = []
    Timer(
        "seen.append(count())", globals={"seen": seen, "count": torch.get_num_threads}, num_threads=1
    ).adaptive_autorange(max_run_time=0.001)
    assert set(seen) == {1}
    assert torch.get_num_threads() == before


def measured(row: str, column: str, seconds: float) -> Measurement:
    return Measurement(1, [seconds], Timer(label="sums", sub_label=row, description=column))


def test_a_table_of_measurements() -> None:
    table = Compare([measured("small", "loop", 4e-6), measured("small", "whole", 1e-6)])
    table.extend_results([measured("large", "loop", 8.04e-5), measured("large", "loop", 8.06e-5)])
    assert str(table).splitlines() == [
        "[--------- sums ---------]",
        "         |  loop  |  whole",
        "1 threads: ---------------",
        "  small  |  4.0   |   1.0 ",
        "  large  |  80.5  |       ",
        "",
        "Times are in microseconds (us).",
    ]
    table.trim_significant_figures()
    table.colorize(rowwise=True)
    assert "\033[31m" in str(table).splitlines()[3]
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`, got <class 'int'> instead."):
        table.extend_results([1])  # type: ignore[list-item]  # the test's point
