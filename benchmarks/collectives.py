"""Time all_reduce among processes of this machine, against torch's gloo.

    python benchmarks/collectives.py                  2 and 4 ranks, 4 B to 64 MB
    python benchmarks/collectives.py --ranks 2 --repeat 5

The two libraries take turns: a round starts a job of each, which times every size, and ends with a table of
the best of all rounds so far. A time is the best of many calls, each after a barrier, of the rank whose
best is the worst. The last column is pullback's time divided by torch's.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = [4 << 2 * step for step in range(13)]  # bytes: 4 B to 64 MB
SOURCE = Path(__file__).resolve().parents[1] / "src"


def measure(result: str) -> None:
    """Time the sizes in this rank of a job; rank 0 writes the seconds of the slowest rank."""
    import time

    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    best = [float("inf")] * len(SIZES)
    for _ in range(5):  # other programs may disturb all calls of a size in one round
        for index, size in enumerate(SIZES):
            x = torch.ones(size // 4)
            for _ in range(max(2, min(100, (32 << 20) // size))):
                x.fill_(1)
                dist.barrier()
                start = time.perf_counter()
                dist.all_reduce(x)
                best[index] = min(best[index], time.perf_counter() - start)
    slowest = torch.tensor(best, dtype=torch.float64)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    times = slowest.tolist()
    if dist.get_rank() == 0:
        Path(result).write_text(json.dumps(times))
    dist.destroy_process_group()


def job(library: str, ranks: int) -> list[float]:
    """Run a job that measures; return seconds by size."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "times.json"
        launcher = {"pullback": "pullback.distributed.run", "torch": "torch.distributed.run"}[library]
        subprocess.run(
            [sys.executable, "-m", launcher, f"--nproc-per-node={ranks}", __file__, "--measure", str(result)],
            check=True, env={**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"},
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return json.loads(result.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--repeat", type=int, default=3, help="rounds")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure)
        return
    for ranks in options.ranks:
        best: dict[str, list[float]] = {}
        for number in range(1, options.repeat + 1):
            for library in ("pullback", "torch"):
                times = job(library, ranks)
                best[library] = [min(pair) for pair in zip(best.get(library, times), times, strict=True)]
            print(f"\nall_reduce, float32, {ranks} ranks, the best of {number} of {options.repeat} rounds")
            print(f"{'bytes':>10} {'pullback µs':>12} {'torch µs':>12} {'ratio':>7}")
            for size, ours, theirs in zip(SIZES, best["pullback"], best["torch"], strict=True):
                ratio = ours / theirs
                print(f"{size:10} {ours * 1e6:12.1f} {theirs * 1e6:12.1f} {ratio:7.2f}", flush=True)


if __name__ == "__main__":
    main()
