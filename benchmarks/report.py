"""What the benchmark prints and writes: a line per row, JSON with every sample, a Markdown table, a PNG."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.case import AnyRow, ProcessRow
from benchmarks.peers import BASELINE, Peer

TITLE_WIDTH, COLUMN_WIDTH = 58, 19
SUBJECT = "pullback"
#: What the names of variables that change how BLAS libraries and their threads work begin with.
TUNING = ("OPENBLAS_", "OMP_", "MKL_", "GOTO_")
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
    return f"{figure(peer['median'])}{ratio}{doubt}"


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


def means(results: dict[str, Any]) -> list[str]:
    """Lines with the geometric mean of a column's ratios, the rows that are at most 1, and the worst."""
    lines = []
    for subject, others in ((f"{SUBJECT}.compile", ()), (SUBJECT, (BASELINE,))):
        ratios = []
        for entry in results["rows"]:
            peers = {name: peer["median"] for name, peer in entry["peers"].items()}
            mine = peers.get(subject)
            theirs = [peers[n] for n in others or peers if n in peers and not n.startswith(SUBJECT)]
            if mine and theirs:
                ratios.append((mine / min(theirs), entry["name"]))
        if ratios:
            mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
            reached = sum(ratio <= 1 for ratio, _ in ratios)
            worst = ", ".join(f"{name} {ratio:.2f}" for ratio, name in sorted(ratios, reverse=True)[:10])
            to = others[0] if others else "the fastest peer"
            lines.append(
                f"{subject} to {to}: geometric mean {mean:.2f}, {reached} of {len(ratios)} rows at most 1; "
                f"slowest {worst}"
            )
    return lines


def footer(results: dict[str, Any]) -> str:
    """The means, the shares of the ceilings, the failures, and the peers whose first numbers differ from
    PyTorch's.
    """
    parts = means(results)
    parts += ["".join(f"{cell:>{COLUMN_WIDTH}}" for cell in row) for row in ceiling_rows(results)]
    for entry in results["rows"]:
        for name, text in entry["failures"].items():
            lines = [shown[:LINE_LIMIT] for shown in text.strip().splitlines()[:FAILURE_LINES]]
            parts.append("\n    ".join([f"{entry['name']} failed in {name}:", *lines]))
        reference = entry["peers"].get(BASELINE, {}).get("numbers")
        for name, peer in entry["peers"].items():
            if peer.get("agrees") is False:
                parts.append(f"{entry['name']} {name} computes {peer['numbers']}, {BASELINE} {reference}")
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
    lines += ["", *(f"{text}." for text in means(results))]
    if ceilings := ceiling_rows(results):
        heading, *others = ceilings
        lines += [
            "",
            "Bytes moved and operations of the compiled programs, and the time that they take step by",
            "step at the machine's bandwidth (a copy of 64 MB) and rate of float32 matrix products",
            "(1,024 rows), measured in the same process. Arrays that stay in a cache can pass the first,",
            "generated kernels the second.",
            "",
            "| " + " | ".join(heading) + " |",
            "| --- | --- |" + " ---: |" * (len(heading) - 2),
            *("| " + " | ".join(row) + " |" for row in others),
        ]
    return "\n".join(lines) + "\n"


def picture(results: dict[str, Any], path: Path) -> None:
    """A dot for each peer in each row, at its ratio to PyTorch eager, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    entries = [entry for entry in results["rows"] if any(p["ratio"] for p in entry["peers"].values())]
    if not entries:
        return
    figure_, axes = plt.subplots(figsize=(10, 1.5 + 0.28 * len(entries)), layout="constrained")
    names = list(results["about"]["peers"])
    markers = dict(zip(names, "osD^v<>", strict=False))
    for name in names:
        points = [
            (entry["peers"][name]["ratio"], position)
            for position, entry in enumerate(entries)
            if name in entry["peers"] and entry["peers"][name]["ratio"]
        ]
        if points:
            ratios, positions = zip(*points, strict=True)
            subject = name == SUBJECT
            axes.scatter(
                ratios,
                positions,
                label=name,
                marker=markers[name],
                s=60 if subject else 26,
                alpha=1.0 if subject else 0.7,
                zorder=3 if subject else 2,
            )
    targets = [
        (entry["target"], position)
        for position, entry in enumerate(entries)
        if entry["target"] and not entry["target_is_absolute"]
    ]
    if targets:
        bounds, positions = zip(*targets, strict=True)
        axes.scatter(bounds, positions, marker="|", s=160, color="black", label="target", zorder=1)
    axes.axvline(1.0, color="grey", linewidth=1, zorder=0)
    axes.set_xscale("log")
    axes.set_yticks(
        range(len(entries)), [f"{entry['name']}  {entry['title']}"[:60] for entry in entries], fontsize=8
    )
    axes.invert_yaxis()
    axes.grid(axis="x", which="both", alpha=0.3)
    facts = results["about"]
    axes.set_xlabel(f"ratio to {BASELINE} eager in the same run (left is less)")
    axes.set_title(f"{facts['processor']}, {facts['cores']} cores, {facts['date']}", fontsize=9)
    figure_.legend(loc="outside lower center", ncols=4, fontsize=8)
    figure_.savefig(path, dpi=120)
    plt.close(figure_)


def write(results: dict[str, Any], folder: Path) -> list[Path]:
    """Write ``results.json``, ``results.md`` and, with matplotlib, ``results.png``."""
    paths = [folder / "results.json", folder / "results.md"]
    paths[0].write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")
    paths[1].write_text(markdown(results), encoding="utf-8")
    try:
        picture(results, folder / "results.png")
    except ImportError:
        return paths
    return [*paths, folder / "results.png"]
