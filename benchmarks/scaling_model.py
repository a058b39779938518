"""Predict the weak scaling of data parallel training beyond this machine, from measurements.

    python -m benchmarks.scaling_model [measured.json]

The model of a step of n ranks, each with the work of one:

- An all_reduce of b bytes takes ``2 ceil(log2 n) a + 2 (n - 1) / n b / B``: a latency `a`, a bandwidth `B`.
- A step without exchanges takes what one rank takes, a third of it forward. A bucket is ready when backward
  has passed its share of the parameters. Buckets are reduced one after the other, from when they are ready.
- The step ends when backward and the last bucket have. Buffers are broadcast before it, each in
  ``ceil(log2 n) a``.

`a` and `B` of this machine are fitted to the reductions on as many ranks as were measured, but for those of
every third size, on which the fit is checked; steps of 2 ranks are checked, too. For a network they are its
data sheet's: 10 Gbit/s with 25 µs (TCP), 100 Gbit/s with 5 µs (RDMA), a tenth of the bandwidth lost to
headers, one rank of one thread on each machine. It writes the curve and the section "Scaling" of
docs/distributed.md.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PICTURE = DOCS / "distributed.md", DOCS / "distributed-scaling.svg"
MARKS = "<!-- scaling -->\n", "<!-- end of scaling -->\n"
#: In bytes: the first bucket, and the others.
LIMITS = (1 << 20, 25 << 20)
#: By row: its parameters, and how many broadcasts of buffers begin a step.
MODELS = {
    "e": (data.mlp((784, 128, 10)), 0), "f": (data.mlp((1024, 4096, 1000)), 0), "h": (data.convnet(), 2),
    "i": (data.gpt(), 0),
}  # fmt: skip
COUNTS = (2, 8, 64, 1024)


@dataclass(frozen=True)
class Network:
    """Latency in seconds and bandwidth in bytes per second."""

    name: str
    latency: float
    bandwidth: float

    def all_reduce(self, ranks: int, size: int) -> float:
        """Return the seconds of a reduction."""
        moved = 2 * (ranks - 1) / ranks * size
        return 2 * math.ceil(math.log2(ranks)) * self.latency + moved / self.bandwidth


NETWORKS = (Network("10 Gbit/s", 25e-6, 0.9 * 1.25e9), Network("100 Gbit/s", 5e-6, 0.9 * 12.5e9))


def buckets(row: str) -> list[int]:
    """Return the bytes of the buckets of a row, in the order in which they are ready."""
    found = [0]
    for array in reversed(list(MODELS[row][0].values())):
        found[-1] += array.nbytes
        if found[-1] >= LIMITS[min(len(found) - 1, 1)]:
            found.append(0)
    return [size for size in found if size]


def step(row: str, alone: float, ranks: int, network: Network) -> float:
    """Return the seconds of a step."""
    if ranks == 1:
        return alone
    sizes = buckets(row)
    begin = MODELS[row][1] * math.ceil(math.log2(ranks)) * network.latency
    end, passed = 0.0, 0
    for size in sizes:
        passed += size
        ready = begin + alone * (1 / 3 + 2 / 3 * passed / sum(sizes))
        end = max(end, ready) + network.all_reduce(ranks, size)
    return max(begin + alone, end)


def largest_term(row: str, alone: float, ranks: int, network: Network) -> str:
    """Return without which term the step would gain most."""
    without = {
        "latency": Network("", 0.0, network.bandwidth), "bandwidth": Network("", network.latency, math.inf),
    }  # fmt: skip
    times = {name: step(row, alone, ranks, other) for name, other in without.items()}
    return min(times, key=times.__getitem__)


def fitted(sizes: Sequence[int], seconds: dict[str, Any]) -> tuple[Network, float]:
    """Return this machine as a network, and the largest relative error on the sizes that were held out."""
    known, held = [], []
    for ranks, by_peer in seconds["all_reduce"].items():
        for index, (size, time) in enumerate(zip(sizes, by_peer["pullback.compile"], strict=True)):
            n = int(ranks)
            terms = 2 * math.ceil(math.log2(n)), 2 * (n - 1) / n * size
            (held if index % 3 == 1 else known).append((*terms, time))
    rows = np.array(known)
    # Relative errors count: each equation is divided by its time.
    latency, per_byte = np.linalg.lstsq(rows[:, :2] / rows[:, 2:], np.ones(len(rows)), rcond=None)[0]
    here = Network("this machine", max(latency, 0.0), 1 / per_byte)
    errors = [abs(a * here.latency + b / here.bandwidth - t) / t for a, b, t in held]
    return here, max(errors)


def draw(alone: dict[str, float]) -> None:
    """Draw the efficiency of each row over each network."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    counts = [1 << k for k in range(11)]
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for network, line in zip(NETWORKS, ("--", "-"), strict=True):
        for color, (row, time) in enumerate(alone.items()):
            shares = [time / step(row, time, n, network) for n in counts]
            axes.plot(counts, shares, line, color=f"C{color}", label=f"row {row}, {network.name}")
    axes.set(xscale="log", xlabel="ranks", ylabel="efficiency", ylim=(0, 1.05))
    axes.set_xticks(counts, [str(n) for n in counts])
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    figure.savefig(PICTURE, metadata={"Date": None})


def section(measured: dict[str, Any]) -> tuple[str, dict[str, float]]:
    """Return the text, and the seconds of a step of one rank by row."""
    seconds = measured["seconds"]
    alone = {
        row: by_ranks["1"]["pullback.compile"][0] for row, by_ranks in seconds.items() if row != "all_reduce"
    }
    here, error = fitted(measured["sizes"], seconds)
    counts = " and ".join(map(str, sorted(seconds["all_reduce"])))
    fit = (
        f"Fitted to reductions on {counts} ranks of this machine: a latency of {here.latency * 1e6:.1f} µs, "
        f"{here.bandwidth / 1e9:.2f} GB/s; the largest error on the sizes held out is {error:.0%}."
    )
    head = "| row | 1 rank, ms | 2 ranks, ms | model, ms | efficiency |"
    lines = [fit, "", head, "|---|--:|--:|--:|--:|"]
    for row, time in alone.items():
        if "2" in seconds[row]:
            two = seconds[row]["2"]["pullback.compile"][0]
            cells = (f"{one * 1e3:.2f}" for one in (time, two, step(row, time, 2, here)))
            lines.append(f"| {row} | {' | '.join(cells)} | {time / two:.2f} |")
    lines += [
        "", "Predicted efficiency, and the term whose absence would save most:", "",
        "| row | network |" + "".join(f" {n:,} ranks |" for n in COUNTS) + " largest term at 1,024 |",
        "|---|---|" + "--:|" * len(COUNTS) + "---|",
    ]  # fmt: skip
    for row, time in alone.items():
        for network in NETWORKS:
            shares = "".join(f" {time / step(row, time, n, network):.2f} |" for n in COUNTS)
            term = largest_term(row, time, COUNTS[-1], network)
            lines.append(f"| {row} | {network.name} |{shares} {term} |")
    return "\n".join([*lines, "", f"![Predicted efficiency]({PICTURE.name})", ""]), alone


def main() -> None:
    """Write the section and the picture."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "distributed-measured.json"
    text, alone = section(json.loads(path.read_text()))
    print(text)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{before}{MARKS[0]}{text}{MARKS[1]}{after}", encoding="utf-8")
    draw(alone)


if __name__ == "__main__":
    main()
