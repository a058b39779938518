"""What the benchmark prints and writes: a line per row, JSON with every sample, a Markdown table."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.case import AnyRow, ProcessRow
from benchmarks.peers import BASELINE, Peer

TITLE_WIDTH, COLUMN_WIDTH = 58, 19
SUBJECT = "pullback"
COMPILED = f"{SUBJECT}.compile"
#: What is measured of a row's first steps in fresh processes: seconds and megabytes, new and from the cache;
#: the last are those of the whole process, from the cache.
START_KEYS = ("first_s", "cached_s", "first_mb", "cached_mb", "process_mb")
#: The seconds that first calls are to take, and from where.
FIRST_CALLS = (("first_s", 1.0, ""), ("cached_s", 0.2, "from the disk cache "))
#: What the names of variables that change how BLAS libraries and their threads work begin with.
TUNING = ("OPENBLAS_", "OMP_", "MKL_", "GOTO_")
Draw = Callable[[dict[str, Any], Path], None]
# Compilers report pages of native stack.
FAILURE_LINES, LINE_LIMIT = 15, 160


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for text in cpuinfo.read_text().splitlines():
            if text.startswith("model name"):
                return text.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def about(peers: Iterable[Peer], settings: dict[str, Any]) -> dict[str, Any]:
    """Where, when and with what the figures were measured."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "peers": {peer.name: peer.version() for peer in peers},
        "settings": settings,
        "environment": {name: os.environ[name] for name in sorted(os.environ) if name.startswith(TUNING)},
    }


def describe(row: AnyRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "title": row.title,
        "unit": row.unit,
        "target": row.target,
        "target_is_absolute": isinstance(row, ProcessRow) and row.target_is_absolute,
        "subject": row.subject if isinstance(row, ProcessRow) else SUBJECT,
    }


def figure(value: float) -> str:
    """Three significant digits or whole numbers: 2.31, 48.7, 839, 81,400."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _environment(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in facts["environment"].items())


def header(facts: dict[str, Any], names: Sequence[str]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["peers"].items())
    where = f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}, {facts['date']}"
    environment = _environment(facts)
    if environment:
        versions += f"\nwith {environment} in the environment"
    columns = "".join(f"{name:>{COLUMN_WIDTH}}" for name in names)
    return f"{where}\n{versions}\nmedian (ratio to {BASELINE} eager)\n{'':{TITLE_WIDTH}}{columns}"


def _cell(entry: dict[str, Any], name: str) -> str:
    if name in entry["failures"]:
        return "failed"
    if name not in entry["peers"]:
        return "–"
    peer = entry["peers"][name]
    ratio = "" if peer["ratio"] is None else f" ({peer['ratio']:.2f})"
    doubt = "?" if peer.get("agrees") is False else ""
    gave_up = "!" if peer.get("eager") else ""
    return f"{figure(peer['median'])}{ratio}{doubt}{gave_up}"


def verdict(entry: dict[str, Any]) -> str:
    """Whether pullback reached the row's target; empty without one and where it was not measured."""
    target, peer = entry["target"], entry["peers"].get(entry["subject"])
    if target is None or peer is None:
        return ""
    value = peer["median"] if entry["target_is_absolute"] else peer["ratio"]
    if value is None:
        return ""
    bound = figure(target) if entry["target_is_absolute"] else f"{target:g}"
    return f"≤ {bound}: {'reached' if value <= target else 'missed'}"


def line(entry: dict[str, Any], names: Sequence[str]) -> str:
    title = f"{entry['name']}  {entry['title']}"
    if entry["unit"] != "µs":
        title += f" [{entry['unit']}]"
    if len(title) >= TITLE_WIDTH:
        title = title[: TITLE_WIDTH - 2] + "…"
    cells = "".join(f"{_cell(entry, name):>{COLUMN_WIDTH}}" for name in names)
    return f"{title:{TITLE_WIDTH}}{cells}  {verdict(entry)}".rstrip()


def ceiling_rows(results: dict[str, Any]) -> list[list[str]]:
    """The cells of the table of ceilings, a heading first; empty where no peer told any.

    A share above 1 is no error: arrays that stay in a cache move faster than memory, and a generated kernel
    may multiply faster than OpenBLAS.
    """
    rows = [
        [entry["name"], name, *_share(told, entry["peers"][name]["median"])]
        for entry in results["rows"]
        for name, told in entry.get("ceilings", {}).items()
    ]
    if not rows:
        return []
    return [["", "peer", "MB", "Mflop", "µs", "µs at the ceiling", "share", "GB/s", "GFLOP/s"], *rows]


def _share(told: dict[str, float], median: float) -> list[str]:
    figures = (told["bytes"] / 1e6, told["flops"] / 1e6, median, told["least_us"])
    speeds = (told["bandwidth"] / 1e9, told["products"] / 1e9)
    return [*map(figure, figures), f"{told['least_us'] / median:.0%}", *map(figure, speeds)]


def ratios(results: dict[str, Any], subject: str) -> dict[str, float]:
    """A column's ratios by row: of what is compiled to the fastest peer, of what is not to the baseline."""
    found = {}
    for entry in results["rows"]:
        peers = {name: peer["median"] for name, peer in entry["peers"].items()}
        others = [n for n in peers if not n.startswith(SUBJECT)] if subject == COMPILED else [BASELINE]
        theirs = [peers[name] for name in others if name in peers]
        if subject in peers and theirs:
            found[entry["name"]] = peers[subject] / min(theirs)
    return found


def mean(values: Iterable[float]) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))


def calls(times: dict[str, tuple[float, float]], subject: str, most: float, worst: int) -> list[str]:
    """Return the summary of calls that both libraries were timed at, and the worst, in µs."""
    ratios = sorted(((a / b, name) for name, (a, b) in times.items()), reverse=True)
    numbers = [ratio for ratio, _ in ratios]
    few = sum(n <= most for n in numbers) / len(numbers)
    width = max(len(name) for _, name in ratios[:worst])
    middle = f"median {statistics.median(numbers):.2f}, geometric mean {mean(numbers):.2f}"
    summary = f"{middle}, {few:.0%} at most {most}"
    rows = [(f"{r:6.1f}  {name:{width}}", *times[name]) for r, name in ratios[:worst]]
    return [
        f"{len(numbers)} {subject}: {summary}", *(f"{row} {a:9.1f} {b:9.1f} µs" for row, a, b in rows)
    ]  # fmt: skip


def means(results: dict[str, Any]) -> list[str]:
    """Lines with the geometric mean of a column's ratios, the rows that are at most 1, and the worst."""
    lines = []
    for subject, to in ((COMPILED, "the fastest peer"), (SUBJECT, BASELINE)):
        found = ratios(results, subject)
        if found:
            reached = sum(ratio <= 1 for ratio in found.values())
            lines.append(
                f"{subject} to {to}: geometric mean {mean(found.values()):.2f}, {reached} of {len(found)} "
                f"rows at most 1; slowest {_greatest(found, '{:.2f}')}"
            )
    return lines


def _greatest(figures: dict[str, float], form: str) -> str:
    ordered = sorted(figures.items(), key=lambda item: item[1], reverse=True)[:10]
    return ", ".join(f"{name} {form.format(value)}" for name, value in ordered)


def start_line(entry: dict[str, Any], names: Sequence[str]) -> str:
    """Each peer's first call, the one from the disk cache, and the most memory held: ``0.41 0.06s 12MB``."""
    cells = "".join(f"{_start_cell(entry['start'].get(name)):>{COLUMN_WIDTH}}" for name in names)
    return f"{'    first call, from the disk cache, peak memory':{TITLE_WIDTH}}{cells}".rstrip()


def _start_cell(told: dict[str, float] | None) -> str:
    return "–" if told is None else "{:.2f} {:.2f}s {:.0f}MB".format(*_start_figures(told))


def _start_figures(told: dict[str, float]) -> tuple[float, float, float]:
    """First call, first call from the disk cache, and the memory of the process that finds the cache."""
    return told["first_s"], told["cached_s"], told["cached_mb"]


def start_means(results: dict[str, Any]) -> list[str]:
    """Lines with the shares of first calls that are short, and the rows that hold more than the baseline."""
    starts = {entry["name"]: entry["start"] for entry in results["rows"] if entry.get("start")}
    lines = []
    for subject in (COMPILED, SUBJECT):
        mine = {name: told[subject] for name, told in starts.items() if subject in told}
        if subject == COMPILED and mine:
            shares = []
            for key, bound, what in FIRST_CALLS:
                seconds = {name: told[key] for name, told in mine.items()}
                short = statistics.fmean(value <= bound for value in seconds.values())
                slowest = _greatest(seconds, "{:.2f}")
                shares.append(f"{what}{short:.0%} of {len(mine)} at most {bound:g} s (slowest {slowest})")
            lines.append(f"{subject}, first calls: {'; '.join(shares)}")
        both = {name: told for name, told in mine.items() if BASELINE in starts[name]}
        for key, what in (("cached_mb", "peak memory"), ("process_mb", "peak of the whole process")):
            excess = {name: told[key] - starts[name][BASELINE][key] for name, told in both.items()}
            above = {name: value for name, value in excess.items() if value > 0}
            if both:
                line = f"{subject}, {what} above {BASELINE}'s in {len(above)} of {len(both)} rows"
                lines.append(f"{line}: MB more {_greatest(above, '{:.1f}')}" if above else line)
    return lines


def start_rows(results: dict[str, Any]) -> list[list[str]]:
    """The cells of the table of first calls and peak memory, a heading first; empty without any."""
    names = list(results["about"]["peers"])
    starts = [(entry["name"], entry["start"]) for entry in results["rows"] if entry.get("start")]
    if not starts:
        return []
    rows = [["", *(f"{name}, {what}" for name in names for what in ("first s", "cached s", "MB"))]]
    for row, told in starts:
        figures = [map(figure, _start_figures(told[n])) if n in told else ["–"] * 3 for n in names]
        rows.append([row, *(cell for cells in figures for cell in cells)])
    return rows


def footer(results: dict[str, Any]) -> str:
    """The means, the shares of the ceilings, the failures, the peers whose first numbers differ from
    PyTorch's, and why compiled functions run eagerly.
    """
    parts = [*means(results), *start_means(results)]
    parts += ["".join(f"{cell:>{COLUMN_WIDTH}}" for cell in row) for row in ceiling_rows(results)]
    for entry in results["rows"]:
        for name, text in entry["failures"].items():
            lines = [shown[:LINE_LIMIT] for shown in text.strip().splitlines()[:FAILURE_LINES]]
            parts.append("\n    ".join([f"{entry['name']} failed in {name}:", *lines]))
        reference = entry["peers"].get(BASELINE, {}).get("numbers")
        for name, peer in entry["peers"].items():
            if peer.get("agrees") is False:
                parts.append(f"{entry['name']} {name} computes {peer['numbers']}, {BASELINE} {reference}")
            parts += [f"{entry['name']} {name} runs eagerly: {why}" for why in peer.get("eager", ())]
    return "\n".join(parts)


def markdown(results: dict[str, Any]) -> str:
    """The table for the documentation."""
    facts = results["about"]
    names = list(facts["peers"])
    versions = ", ".join(f"{name} {version}" for name, version in facts["peers"].items())
    if environment := _environment(facts):
        versions += f", with {environment} in the environment"
    lines = [
        f"Measured {facts['date']} on {facts['processor']}, {facts['cores']} cores,",
        f"Python {facts['python']}, {versions}.",
        f"Medians in µs unless a row says otherwise; in brackets the ratio to {BASELINE} eager, same run.",
        "",
        "| | workload | " + " | ".join(names) + " | target |",
        "| --- | --- |" + " ---: |" * len(names) + " --- |",
    ]
    for entry in results["rows"]:
        title = entry["title"] + ("" if entry["unit"] == "µs" else f" [{entry['unit']}]")
        cells = " | ".join(_cell(entry, name) for name in names)
        lines.append(f"| {entry['name']} | {title} | {cells} | {verdict(entry)} |")
    for text in (*means(results), *start_means(results)):
        lines += ["", f"{text}."]
    if starts := start_rows(results):
        lines += [
            "",
            "The first call in a fresh process with an empty cache, and in the next process, by the clock;",
            "the most memory that the second held beyond that of the imported library, in five steps.",
            "",
            *_table(starts, 1),
        ]
    if ceilings := ceiling_rows(results):
        lines += [
            "",
            "Bytes moved and operations of the compiled programs, and the time that they take step by",
            "step at the machine's bandwidth (a copy of 64 MB) and rate of float32 matrix products",
            "(1,024 rows), measured in the same process. Arrays that stay in a cache can pass the first,",
            "generated kernels the second.",
            "",
            *_table(ceilings, 2),
        ]
    return "\n".join(lines) + "\n"


def _table(rows: list[list[str]], left: int) -> list[str]:
    """The lines of a table in Markdown, whose first columns are aligned to the left."""
    heading, *others = ("| " + " | ".join(row) + " |" for row in rows)
    return [heading, "|" + " --- |" * left + " ---: |" * (len(rows[0]) - left), *others]


def write(results: dict[str, Any], folder: Path, draw: Draw) -> list[Path]:
    """Write ``results.json``, ``results.md`` and, with matplotlib, ``results.png``, which ``draw`` draws."""
    paths = [folder / "results.json", folder / "results.md"]
    paths[0].write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")
    paths[1].write_text(markdown(results), encoding="utf-8")
    try:
        draw(results, folder / "results.png")
    except ImportError:
        return paths
    return [*paths, folder / "results.png"]
