"""The pictures of results: every peer in every row of the table, or two ratios for each row of the suite.

matplotlib is imported when a picture is drawn: where it is missing, results come without one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.peers import BASELINE
from benchmarks.report import COMPILED, SUBJECT


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def peers(results: dict[str, Any], path: Path) -> None:
    """A dot for each peer in each row, at its ratio to PyTorch eager, on a logarithmic axis."""
    plt = _pyplot()
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


def ratios(results: dict[str, Any], path: Path) -> None:
    """Two bars for each row, slowest first: compiled to the fastest peer, eager to PyTorch eager."""
    found = {subject: report.ratios(results, subject) for subject in (COMPILED, SUBJECT)}
    names = sorted(
        found[COMPILED] | found[SUBJECT],
        key=lambda name: found[COMPILED].get(name, found[SUBJECT].get(name, 0.0)),
        reverse=True,
    )
    if not names:
        return
    plt = _pyplot()
    from matplotlib import ticker

    figure, axes = plt.subplots(figsize=(10, 1.5 + 0.28 * len(names)), layout="constrained")
    for subject, to, shift, color in (
        (COMPILED, "the fastest peer", -0.2, "tab:blue"), (SUBJECT, BASELINE, 0.2, "tab:orange"),
    ):  # fmt: skip
        points = [(k + shift, found[subject][name]) for k, name in enumerate(names) if name in found[subject]]
        if not points:
            continue
        places, values = zip(*points, strict=True)
        middle = report.mean(values)
        label = f"{subject} to {to}, geometric mean {middle:.2f}"
        # Bars begin at 1, so that their length is the logarithm of what is gained or lost.
        axes.barh(places, [value - 1 for value in values], 0.38, left=1, color=color, label=label)
        axes.axvline(middle, color=color, linewidth=1, linestyle="--", zorder=0)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="x", which="both", alpha=0.3)
    facts = results["about"]
    axes.set_xlabel("ratio in the same run (left is less time)")
    axes.set_title(f"{facts['processor']}, {facts['cores']} cores, {facts['date']}", fontsize=9)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)
