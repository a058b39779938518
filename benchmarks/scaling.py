"""Time data parallel steps on 1, 2 and 4 ranks beside torch's gloo, and all_reduce for the model of scaling.

    python -m benchmarks.scaling                        rows e, f, h, i; ranks 1, 2, 4
    python -m benchmarks.scaling --rows f --ranks 2 4 --repeat 1 --seconds 1
    python -m benchmarks.scaling --rows h i --ranks 1 2 --output docs/distributed-measured.json

Each rank has one thread. The libraries take turns: a round starts a job of each for every row and number of
ranks, and the best step of all rounds counts, of the rank whose best is the worst. pullback compiles the step
as a whole; torch runs eagerly, and once more with its loss compiled where ``--torch-compile`` says so. The
table has pullback's time divided by torch's, and the weak scaling efficiency: the time of one rank without a
wrapper, divided by that of n ranks that each have as much work. A line is printed as soon as both libraries
have been timed, with the best of the rounds so far. With ``--output`` reductions are timed as well, and all
that was measured is written for `benchmarks.scaling_model`.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.case import Case, Library
from benchmarks.peers import BY_NAME, load

ROOT = Path(__file__).resolve().parents[1]
LAUNCHERS = {"pullback": "pullback.distributed.run", "torch": "torch.distributed.run"}
ROWS, RANKS = ("e", "f", "h", "i"), (1, 2, 4)
#: Bytes of the reductions that are timed for the model.
SIZES = [1 << 2 * step for step in range(3, 14)]
WARM_UP = 5
#: Steps between which ranks do not ask whether to go on.
STEPS = 3


def wrapped_step(build: Any) -> Any:
    """Return `training.torch_step` for a model that a wrapper reduces the gradients of."""

    def step(library: Library, module: Any, *rest: Any) -> Case:
        # The row's loss calls the module that it has made: it goes through the wrapper of a copy.
        inner = copy.copy(module)
        module.__dict__["forward"] = library.module.nn.parallel.DistributedDataParallel(inner)
        return build(library, module, *rest)

    return step


def measure(peer: str, row: str, seconds: float, result: str) -> None:
    """Time the steps of a row in this rank of a job; rank 0 writes those of the slowest."""
    library = load(BY_NAME[peer])
    torch = library.module
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    from benchmarks.workloads import ROWS as all_rows
    from benchmarks.workloads import training

    ranks = torch.distributed.get_world_size()
    if row == "all_reduce":
        times = reductions(torch)
    else:
        if ranks > 1:
            training.torch_step = wrapped_step(training.torch_step)
        step = all_rows[row].builders["torch"](library).step
        for _ in range(WARM_UP):
            step()
        times = [float("inf")]
        end = time.perf_counter() + seconds
        # All ranks take as many steps as the first.
        while bool(goes_on(torch, time.perf_counter() < end)):
            for _ in range(STEPS):
                start = time.perf_counter()
                step()
                times[0] = min(times[0], time.perf_counter() - start)
    slowest = torch.tensor(times, dtype=torch.float64)
    torch.distributed.all_reduce(slowest, torch.distributed.ReduceOp.MAX)
    if torch.distributed.get_rank() == 0:
        Path(result).write_text(json.dumps(slowest.tolist()))
    torch.distributed.destroy_process_group()


def goes_on(torch: Any, here: bool) -> Any:
    """Return whether the first rank goes on."""
    flag = torch.tensor(int(here))
    torch.distributed.broadcast(flag, 0)
    return flag


def reductions(torch: Any) -> list[float]:
    """Return the best time of an all_reduce of each size."""
    best = [float("inf")] * len(SIZES)
    for _ in range(3):
        for index, size in enumerate(SIZES):
            x = torch.ones(size // 4)
            for _ in range(max(3, min(100, (16 << 20) // size))):
                x.fill_(1)
                torch.distributed.barrier()
                start = time.perf_counter()
                torch.distributed.all_reduce(x)
                best[index] = min(best[index], time.perf_counter() - start)
    return best


def job(peer: str, row: str, ranks: int, seconds: float) -> list[float]:
    """Run a job that measures; return its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "times.json"
        launcher = LAUNCHERS[BY_NAME[peer].package]
        subprocess.run(
            [sys.executable, "-W", "ignore", "-m", launcher, f"--nproc-per-node={ranks}", "-m",
             "benchmarks.scaling", "--measure", peer, row, str(seconds), str(result)],
            check=True, cwd=ROOT, stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        found: list[float] = json.loads(result.read_text())
        return found


def main() -> None:
    """Measure and print a table; write what was measured where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=list(ROWS))
    parser.add_argument("--ranks", type=int, nargs="*", default=list(RANKS))
    parser.add_argument("--repeat", type=int, default=3, help="rounds")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long a job is timed")
    parser.add_argument("--torch-compile", action="store_true")
    parser.add_argument("--output", help="a file for the model of scaling; times reductions, too")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        peer, row, seconds, result = options.measure
        measure(peer, row, float(seconds), result)
        return
    peers = ["pullback.compile", "torch", *["torch.compile"][: options.torch_compile]]
    best: dict[str, dict[str, dict[str, list[float]]]] = {}
    heading = f"{'row':>4} {'ranks':>6} {'pullback µs':>12} {'torch µs':>12} {'ratio':>6} {'efficiency':>11}"
    print(heading, flush=True)
    for _ in range(options.repeat):
        for row in (*options.rows, *["all_reduce"][: options.output is not None]):
            for ranks in options.ranks:
                if row == "all_reduce" and ranks == 1:
                    continue
                known = best.setdefault(row, {}).setdefault(str(ranks), {})
                for peer in peers if row != "all_reduce" else ["pullback.compile"]:
                    times = job(peer, row, ranks, options.seconds)
                    known[peer] = [min(p) for p in zip(known.get(peer, times), times, strict=True)]
                if row != "all_reduce":
                    print(line(best, row, str(ranks)), flush=True)
    if options.output:
        Path(options.output).write_text(json.dumps({"sizes": SIZES, "seconds": best}, indent=1) + "\n")


def line(best: dict[str, dict[str, dict[str, list[float]]]], row: str, ranks: str) -> str:
    """Return a line of the table."""
    here, there = best[row][ranks]["pullback.compile"][0], best[row][ranks]["torch"][0]
    text = f"{row:>4} {ranks:>6} {here * 1e6:12.0f} {there * 1e6:12.0f} {here / there:6.2f}"
    alone = best[row].get("1", {}).get("pullback.compile")
    return text if alone is None or ranks == "1" else f"{text} {alone[0] / here:11.2f}"


if __name__ == "__main__":
    main()
