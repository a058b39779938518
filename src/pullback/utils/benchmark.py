"""torch.utils.benchmark: timing statements, with as many runs as steady numbers need."""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable, Iterable, Sequence
from math import log10
from statistics import median, pstdev, quantiles
from time import perf_counter
from typing import Any, NamedTuple

from ..tensor.settings import get_num_threads, set_num_threads

_WORDS = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds"}
_BEST, _WORST, _PLAIN = "\033[92m\033[1m", "\033[31m", "\033[0m"

#: A time within this factor of the best is marked as one; from the other on, as much worse.
_NEAR, _FAR = 1.01, 2.0


class _Row(NamedTuple):
    """Hold what the times of one row have in common."""

    threads: int
    env: str
    name: str


class Compare:
    """Tables of measurements, one for each label.

    Parameters
    ----------
    results : list of Measurement
    """

    def __init__(self, results: Sequence[Any]) -> None:
        self._results: list[Any] = []
        self._trimmed = False
        self._coloured: str | None = None
        self._warned = False
        self.extend_results(results)

    def extend_results(self, results: Iterable[Any]) -> None:
        """Add measurements.

        Raises
        ------
        ValueError
            One of them is none.
        """
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
            self._results.append(result)

    def trim_significant_figures(self) -> None:
        """Show no more digits than the spread of the times allows."""
        self._trimmed = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour the best and the worst times of each column, or of each row."""
        self._coloured = "row" if rowwise else "column"

    def highlight_warnings(self) -> None:
        """Show the spread of times that spread far."""
        self._warned = True

    def print(self) -> None:
        """Print the tables."""
        sys.stdout.write(f"{self}\n")

    def __str__(self) -> str:
        labels: dict[str | None, list[Any]] = {}
        for merged in Measurement.merge(self._results):
            labels.setdefault(merged.task_spec.label, []).append(merged)
        return "\n".join(self._table(label or "", results) for label, results in labels.items())

    def _table(self, label: str, results: Sequence[Any]) -> str:
        unit, scale = _unit(min(r.median for r in results))
        cells: dict[tuple[_Row, str], Any] = {}
        for r in results:
            spec = r.task_spec
            row = _Row(spec.num_threads, spec.env or "", spec.sub_label or spec.stmt)
            cells[row, spec.description or ""] = r
        rows = sorted(dict.fromkeys(row for row, _ in cells), key=lambda row: row[:2])
        columns = list(dict.fromkeys(column for _, column in cells))
        several = len({row.env for row in rows}) > 1
        names = [f"  ({row.env}) {row.name}" if several else f"  {row.name}" for row in rows]
        texts = [[self._text(cells.get((row, c)), scale) for c in columns] for row in rows]
        widths = [max(map(len, (c, *(t[i] for t in texts)))) for i, c in enumerate(columns)]
        first = max(map(len, names))
        head = "  |  ".join([" " * first, *(c.center(w) for c, w in zip(columns, widths, strict=True))])
        lines = [f"[{f' {label} '.center(len(head) - 2, '-')}]", head]
        threads = None
        for row, name, text in zip(rows, names, texts, strict=True):
            if row.threads != threads:
                threads = row.threads
                lines.append(f"{threads} threads: ".ljust(len(head), "-"))
            shown = [
                self._painted(t.center(w), cells, row, c)
                for t, w, c in zip(text, widths, columns, strict=True)
            ]
            lines.append("  |  ".join([name.ljust(first), *shown]))
        lines += ["", f"Times are in {_WORDS[unit]} ({unit})."]
        if self._warned and any(r.has_warnings for r in results):
            lines.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return "\n".join([*lines, ""])

    def _text(self, result: Any, scale: float) -> str:
        if result is None:
            return ""
        value = result.median / scale
        if self._trimmed:
            text = f"{float(f'{value:.{result.significant_figures}g}'):g}"
        else:
            text = f"{value:.1f}"
        if self._warned and result.has_warnings:
            text += f" (! {result.iqr / result.median * 100:.0f}%)"
        return text

    def _painted(self, text: str, cells: dict[tuple[_Row, str], Any], row: _Row, column: str) -> str:
        own = cells.get((row, column))
        if self._coloured is None or own is None:
            return text
        best = min(
            r.median
            for (other, c), r in cells.items()
            if (other == row if self._coloured == "row" else c == column and other.threads == row.threads)
        )
        if own.median <= best * _NEAR:
            return _BEST + text + _PLAIN
        return _WORST + text + _PLAIN if own.median >= best * _FAR else text


Compare.__module__ = "torch.utils.benchmark"


_UNITS = (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0))
#: The share of the median from which the spread between the quartiles is warned of.
_SPREAD, _WIDE_SPREAD = 0.1, 0.25
#: The normal quantile of a two-sided confidence of 90 %, and the least doubt about a time, in seconds.
_CONFIDENCE, _LEAST_DOUBT = 1.645, 25e-9


def _unit(seconds: float) -> tuple[str, float]:
    """Return the unit in which a time is told, and its seconds."""
    return next(((name, scale) for name, scale in reversed(_UNITS) if seconds >= scale), _UNITS[0])


class Measurement:
    """The times of a statement.

    Parameters
    ----------
    number_per_run : int
        How often the statement ran for each time.
    raw_times : list of float
        Seconds.
    timer : Timer
        What measured them.
    """

    def __init__(self, number_per_run: int, raw_times: list[float], timer: Timer) -> None:
        self.number_per_run = number_per_run
        self.raw_times = raw_times
        self.task_spec = timer

    @property
    def times(self) -> list[float]:
        """Return seconds of one run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """Return the median of the times."""
        return median(self.times)

    @property
    def mean(self) -> float:
        """Return the mean of the times."""
        return sum(self.times) / len(self.times)

    def _quartiles(self) -> tuple[float, float]:
        if len(self.times) < 2:
            return self.times[0], self.times[0]
        first, _, third = quantiles(self.times, n=4, method="inclusive")
        return first, third

    @property
    def iqr(self) -> float:
        """Return the spread between the quartiles."""
        first, third = self._quartiles()
        return third - first

    @property
    def significant_figures(self) -> int:
        """Return how many digits of the median can be trusted by the spread of the middle half: 1 to 5."""
        low, high = len(self.times) // 4, -(-3 * len(self.times) // 4)
        middle = sorted(self.times)[low:high]
        doubt = max(_CONFIDENCE * pstdev(middle) / len(middle) ** 0.5, _LEAST_DOUBT)
        return min(max(int(log10(self.median / doubt)), 1), 5)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Return one measurement of all times of each timer."""
        groups: dict[tuple[Any, ...], list[Measurement]] = {}
        for m in measurements:
            groups.setdefault(m.task_spec.identity, []).append(m)
        return [
            Measurement(1, [t for m in group for t in m.times], group[0].task_spec)
            for group in groups.values()
        ]

    @property
    def has_warnings(self) -> bool:
        """Return whether the times spread so far that they say little."""
        return len(self.times) > 1 and self.iqr > _SPREAD * self.median

    def __repr__(self) -> str:
        spec = self.task_spec
        unit, scale = _unit(self.median)
        several = len(self.times) > 1
        lines = [f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"]
        lines.append(f"{spec.label}: {spec.sub_label}" if spec.label and spec.sub_label else spec.title)
        lines += [spec.description] if spec.description else []
        lines += [f"setup: {spec.setup}"] if spec.setup != "pass" else []
        if several:
            lines.append(f"  Median: {self.median / scale:.2f} {unit}")
            if len(self.times) > 3:
                first, third = (q / scale for q in self._quartiles())
                lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({first:.2f} to {third:.2f})")
        else:
            lines.append(f"  {self.median / scale:.2f} {unit}")
        lines.append(
            f"  {len(self.times)} measurement{'s' if several else ''}, {self.number_per_run} runs "
            f"{'per measurement' if several else ''}, {spec.num_threads} "
            f"thread{'s' if spec.num_threads > 1 else ''}"
        )
        if self.has_warnings:
            share = self.iqr / self.median
            lines.append(f"  WARNING: Interquartile range is {share:.1%} of the median measurement.")
            wide = share > _WIDE_SPREAD
            lines.append(
                "           This "
                + ("suggests significant environmental influence." if wide
                   else "could indicate system fluctuation.")
            )  # fmt: skip
        return "\n".join(lines)


class Timer:
    """Time a statement of Python.

    Parameters
    ----------
    stmt, setup : str
        What is timed, and what runs once before.
    global_setup : str
        Taken for torch's sake, whose C++ statements need it.
    timer : callable
        Gives the time in seconds.
    globals : dict, optional
        The names that they see.
    label, sub_label, description, env : str, optional
        What the measurement is called.
    num_threads : int
        On how many threads large ops run.
    """

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "",
        timer: Callable[[], float] = perf_counter, globals: dict[str, Any] | None = None,
        label: str | None = None, sub_label: str | None = None, description: str | None = None,
        env: str | None = None, num_threads: int = 1, language: Any = None,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        self.stmt, self.setup = stmt, setup
        self.label, self.sub_label, self.description, self.env = label, sub_label, description, env
        self.num_threads = num_threads
        self._timer = timeit.Timer(stmt, setup, timer, dict(globals or {}))

    @property
    def identity(self) -> tuple[Any, ...]:
        """Return what measurements of the same thing have in common."""
        return (
            self.stmt, self.setup, self.label, self.sub_label, self.description, self.env, self.num_threads
        )

    @property
    def title(self) -> str:
        """Return the name of a measurement: the label, or the statement."""
        return self.label or self.stmt

    def _timed(self, number: int) -> float:
        before = get_num_threads()
        set_num_threads(self.num_threads)
        try:
            return max(self._timer.timeit(number), 1e-9)
        finally:
            set_num_threads(before)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Return one time of a number of runs, after a few to warm up."""
        self._timed(max(number // 100, 2))
        return Measurement(number, [self._timed(number)], self)

    def _blocks(
        self, min_run_time: float, callback: Callable[[int, float], Any] | None,
        is_enough: Callable[[Measurement], bool],
    ) -> Measurement:  # fmt: skip
        """Return times of blocks of runs that take long enough to time: each a thousandth of the whole."""
        number = 1
        while self._timed(number) < min_run_time / 1000 and number < 10**9:
            number *= 10
        found = Measurement(number, [], self)
        while not is_enough(found):
            found.raw_times.append(self._timed(number))
            if callback is not None:
                callback(number, found.raw_times[-1])
        return found

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Return times of blocks of runs, as many as fill a time.

        Parameters
        ----------
        callback : callable, optional
            Called with the number of runs and the time of each block.
        min_run_time : float
            Seconds of all blocks.
        """
        return self._blocks(min_run_time, callback, lambda found: sum(found.raw_times) >= min_run_time)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Return times of blocks of runs, until the quartiles are within a share of the median.

        Parameters
        ----------
        threshold : float
            The share.
        min_run_time, max_run_time : float
            Seconds.
        callback : callable, optional
            Called with the number of runs and the time of each block.
        """

        def is_steady(found: Measurement) -> bool:
            total = sum(found.raw_times)
            many = total >= min_run_time and len(found.times) > 3
            return total >= max_run_time or (many and found.iqr < threshold * found.median)

        return self._blocks(min_run_time, callback, is_steady)


__all__ = ["Compare", "Measurement", "Timer"]
