"""`Compare`: measurements as tables, a column for each description and a row for each sub-label."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

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
        from .benchmark import Measurement

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
        from .benchmark import Measurement

        labels: dict[str | None, list[Any]] = {}
        for merged in Measurement.merge(self._results):
            labels.setdefault(merged.task_spec.label, []).append(merged)
        return "\n".join(self._table(label or "", results) for label, results in labels.items())

    def _table(self, label: str, results: Sequence[Any]) -> str:
        from .benchmark import _unit

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
