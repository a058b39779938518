"""Hold what a profile recorded: events, averages by name, and the table and trace that show them."""

from __future__ import annotations

import json
import operator
import os
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ..core.warn import warn


def _time_text(microseconds: float) -> str:
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


class Interval:
    """Say from when to when, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return how long."""
        return self.end - self.start


class _Times:
    """The times of an event or of an average, under torch's names; those of devices are 0."""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float

    device_time = device_time_total = self_device_time_total = 0.0
    cpu_memory_usage = self_cpu_memory_usage = device_memory_usage = self_device_memory_usage = 0
    flops = 0
    is_async = is_remote = is_legacy = False
    node_id = -1

    @property
    def cuda_time(self) -> float:
        """Return `device_time` by its old name."""
        warn("`cuda_time` is deprecated, please use `device_time` instead.", FutureWarning)
        return self.device_time

    @property
    def cpu_time(self) -> float:
        """Return the average time of a call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """Return the same as text."""
        return _time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """Return the time of all calls as text."""
        return _time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """Return the time outside the events within as text."""
        return _time_text(self.self_cpu_time_total)


def _by_old_name(old: str, new: str) -> property:
    """Return a property that is called otherwise by now."""

    def value(self: object) -> Any:
        warn(f"`{old}` is deprecated. Use `{new}` instead.", FutureWarning)
        return getattr(self, new)

    return property(value, doc=f"`{new}` by its old name.")


class FunctionEvent(_Times):
    """One call of a function, or one ``record_function`` block.

    Parameters
    ----------
    id : int
        Its number in the profile, from 1.
    name : str
    start, end : float
        In microseconds since the profile began.
    thread : int
    input_shapes : list
        The shapes of its arguments, where they were asked for.
    is_user_annotation : bool
        Whether it is a block of the program's.
    """

    count = 1
    cuda_time_total = _by_old_name("cuda_time_total", "device_time_total")
    self_cuda_time_total = _by_old_name("self_cuda_time_total", "self_device_time_total")
    self_cuda_memory_usage = _by_old_name("self_cuda_memory_usage", "self_device_memory_usage")

    def __init__(
        self, id: int, name: str, start: float, end: float, thread: int, input_shapes: list[Any],
        is_user_annotation: bool,
    ) -> None:
        self.id = id
        self.name = name
        self.time_range = Interval(start, end)
        self.thread = thread
        self.input_shapes = input_shapes
        self.is_user_annotation = is_user_annotation
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None

    @property
    def key(self) -> str:
        """Return the name."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]  # it follows from the times
        """Return the time of the event, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]  # it follows from the times
        """Return the time outside the events within, in microseconds."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg(_Times):
    """All events of one name (and of the same shapes, where they are told apart)."""

    def __init__(self, key: str = "Total", input_shapes: object = "") -> None:
        self.key = key
        self.input_shapes = input_shapes
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.is_user_annotation = False

    def add(self, other: Any) -> FunctionEventAvg:
        """Take in an event or an average."""
        self.count += other.count
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_time_total += other.cpu_time_total
        self.is_user_annotation |= other.is_user_annotation
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_cuda_time=0.000us cuda_time=0.000us "
            f"input_shapes={self.input_shapes} cpu_memory_usage=0 cuda_memory_usage=0>"
        )


class EventList(list[Any]):
    """Events or averages, with what sums and shows them."""

    @property
    def self_cpu_time_total(self) -> float:
        """Return the time of all events, those within others counted once, in microseconds."""
        total: float = sum(event.self_cpu_time_total for event in self)
        return total

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return one average for each name.

        Parameters
        ----------
        group_by_input_shapes : bool
            Tell calls on arguments of other shapes apart.
        group_by_stack_n, group_by_overload_name
            Taken for torch's sake; no stacks or overloads are recorded.
        """
        found: dict[Any, FunctionEventAvg] = {}
        for event in self:
            shapes = event.input_shapes if group_by_input_shapes else ""
            average = found.setdefault((event.key, str(shapes)), FunctionEventAvg(event.key, shapes))
            average.add(event)
        return EventList(found.values())

    def total_average(self) -> FunctionEventAvg:
        """Return the average of all events."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        return total

    def table(
        self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75,
        max_name_column_width: int = 55, max_shapes_column_width: int = 80, header: str | None = None,
        top_level_events_only: bool = False, time_unit: str | None = None,
    ) -> str:
        """Return the events as a table.

        Parameters
        ----------
        sort_by : str, optional
            An attribute such as ``"cpu_time_total"``, largest first; in ``"cuda_time_total"`` and its like
            the device means any.
        row_limit : int
            How many rows; −1 for all.
        max_src_column_width, max_name_column_width, max_shapes_column_width : int
            Longer texts end in dots.
        header : str, optional
            Written above.
        top_level_events_only : bool
            Leave out events within others.
        time_unit : str, optional
            ``"s"``, ``"ms"`` or ``"us"`` for all times.
        """
        rows = list(self)
        if sort_by is not None:
            for device in ("cuda", "xpu", "privateuse1"):
                sort_by = sort_by.replace(device, "device")
            rows.sort(key=operator.attrgetter(sort_by), reverse=True)
        if top_level_events_only:
            rows = [event for event in rows if getattr(event, "cpu_parent", None) is None]
        whole = self.self_cpu_time_total
        with_shapes = any(event.input_shapes for event in self)
        titles = [
            "Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"
        ]  # fmt: skip
        widths = [_width((e.key for e in self), max_name_column_width), 12, 12, 12, 12, 12, 12]
        if with_shapes:
            titles.append("Input Shapes")
            widths.append(_width((str(e.input_shapes) for e in self), max_shapes_column_width))
        text = _in_unit(time_unit)
        line = "  ".join("-" * width for width in widths) + "  "
        head = "  ".join(title.rjust(width) for title, width in zip(titles, widths)) + "  "
        lines = [*([header] if header is not None else []), line, head, line]
        for event in rows if row_limit < 0 else rows[:row_limit]:
            cells = [
                _clipped(event.key, max_name_column_width),
                _percent(event.self_cpu_time_total, whole), text(event.self_cpu_time_total),
                _percent(event.cpu_time_total, whole), text(event.cpu_time_total),
                text(event.cpu_time), str(event.count),
            ]  # fmt: skip
            if with_shapes:
                cells.append(_clipped(str(event.input_shapes or []), max_shapes_column_width))
            lines.append("  ".join(cell.rjust(width) for cell, width in zip(cells, widths)) + "  ")
        return "\n".join([*lines, line, f"Self CPU time total: {_time_text(whole)}", ""])

    def __str__(self) -> str:
        return self.table()

    def export_chrome_trace(self, path: str) -> None:
        """Write the events as a trace that chrome://tracing and Perfetto show."""
        process = os.getpid()
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "python"}}
        ]
        for event in self:
            args: dict[str, Any] = {"External id": event.id}
            if event.input_shapes:
                args["Input Dims"] = event.input_shapes
            events.append({
                "ph": "X", "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                "name": event.name, "pid": process, "tid": event.thread, "ts": event.time_range.start,
                "dur": event.cpu_time_total, "args": args,
            })  # fmt: skip
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": events}, file)


def _width(texts: Iterable[str], most: int) -> int:
    return min(max((len(text) for text in texts), default=0) + 4, most + 3)


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


def _in_unit(unit: str | None) -> Any:
    if unit is None:
        return _time_text
    divisor = {"s": 1e6, "ms": 1e3, "us": 1.0}[unit]
    return lambda microseconds: f"{microseconds / divisor:.3f}{unit}"


def nested(events: list[FunctionEvent], parents: list[int]) -> EventList:
    """Return the events with those within each told, in the order in which they began.

    `parents` holds for each event the position of the one that it is within, −1 for none.
    """
    children = defaultdict(list)
    for position, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(events[position])
            events[position].cpu_parent = events[parent]
    for position, within in children.items():
        events[position].cpu_children = within
    return EventList(events)
