"""Run torch's own tests of several processes in pullback and in torch, and say what became of each.

    python -m tools.torch_distributed_tests [--ranks 4] [--library pullback|torch] [--accelerator]
                                            [--keep FILE] [TEST ...]

The tests are those of ``torch.testing._internal.distributed.distributed_test`` in the wheel of this Python.
Torch runs them with gloo, pullback with MPI under that name. Names may have ``*``. With ``--accelerator`` the
CPU stands for accelerators, so that tests that ask for one run, too.

A test is passed when all processes pass it. Each has a group of its own; processes are started anew after
one that some do not end within ``--limit`` seconds, or ten after another has failed. ``--keep`` writes the
outcome and the text of every test to a JSON file.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
START = {"pullback": ["-m", "pullback"], "torch": ["-W", "ignore"]}
TESTS = "testing/_internal/distributed/distributed_test.py"

#: For how many seconds processes may start, while the first test seems to take its time.
STARTING = 180

Outcome = dict[str, Any]


def source() -> Path:
    """Return torch's file of tests."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise SystemExit("the tests are in torch's wheel, which is not installed")
    return Path(spec.origin).parent / TESTS


def start(library: str, rank: int, ranks: int, folder: Path, names: list[str], accelerator: bool) -> Any:
    """Start a process that runs tests."""
    environment = {
        **os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks),
        "LOCAL_WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{HERE}",
        "TEMP_DIR": str(folder), "BACKEND": "gloo",
        "CPU_AS_ACCELERATOR": "1" if accelerator else "",
    }  # fmt: skip
    said = (folder / f"said.{rank}").open("w")
    return subprocess.Popen(
        [sys.executable, *START[library], str(HERE / "worker.py"), str(source()), str(folder), *names],
        env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
    )  # fmt: skip


def judged(told: list[Outcome], ranks: int) -> Outcome:
    """Return the outcome of a test by what its processes tell."""
    for kind in ("fail", "skip"):
        for each in told:
            if each["outcome"] == kind:
                return each
    if len(told) < ranks:
        return {"outcome": "fail", "text": "did not end"}
    return {"outcome": "pass", "text": "", "seconds": max(each.get("seconds", 0) for each in told)}


def told_in(folder: Path) -> list[Outcome]:
    """Return what processes have told of a test."""
    return [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]


def run_until_stuck(
    library: str, names: list[str], ranks: int, limit: float, accelerator: bool
) -> Iterator[tuple[str, Outcome]]:
    """Run tests in one set of processes up to the first that some of them do not end; give each outcome."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        processes = [start(library, rank, ranks, folder, names, accelerator) for rank in range(ranks)]
        try:
            for name in names:
                begun, failed = time.monotonic() + (STARTING if name == names[0] else 0), 0.0
                while True:
                    told = told_in(folder / name)
                    alive = [process.poll() is None for process in processes]
                    now = time.monotonic()
                    wrong = any(one["outcome"] == "fail" for one in told) or not all(alive)
                    failed = failed or (now if wrong else 0.0)
                    late = now - begun > limit or (failed and now - failed > 10) or not any(alive)
                    if len(told) == ranks or late:
                        break
                    time.sleep(0.02)
                told = told_in(folder / name)
                outcome = judged(told, ranks)
                if len(told) < ranks:
                    for rank in range(ranks):
                        outcome["text"] += f"\nrank {rank}: " + (folder / f"said.{rank}").read_text()[-1500:]
                yield name, outcome
                if len(told) < ranks:
                    break
        finally:
            for process in processes:
                process.kill()
                process.wait()


def run(library: str, patterns: list[str], ranks: int, limit: float, accelerator: bool) -> dict[str, Outcome]:
    """Run the tests whose names match, all by default; return their outcomes."""
    with tempfile.TemporaryDirectory() as place:
        listing = start(library, 0, ranks, Path(place), [], accelerator)
        listing.wait()
        listed = Path(place, "names.json")
        if not listed.is_file():
            raise SystemExit(Path(place, "said.0").read_text())
        every: list[str] = json.loads(listed.read_text())
    names = [name for name in every if any(fnmatch.fnmatch(name, one) for one in patterns or ["*"])]
    found: dict[str, Outcome] = {}
    while len(found) < len(names):
        left = [name for name in names if name not in found]
        for name, outcome in run_until_stuck(library, left, ranks, limit, accelerator):
            found[name] = outcome
            if outcome["outcome"] == "fail":
                said = f"{library}, {len(found)} of {len(names)}: {name} fails"
                print(said, outcome["text"], sep="\n", file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Run the tests and print how many pass, and those on which the libraries differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.torch_distributed_tests")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--library", choices=START)
    parser.add_argument("--accelerator", action="store_true")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("tests", nargs="*")
    asked = parser.parse_args()
    libraries = [asked.library] if asked.library else list(START)
    found: dict[str, dict[str, Outcome]] = {}
    for library in libraries:
        begun = time.monotonic()
        found[library] = run(library, asked.tests, asked.ranks, asked.limit, asked.accelerator)
        counts = Counter(each["outcome"] for each in found[library].values())
        print(f"{library}: {dict(counts)}, {time.monotonic() - begun:.0f} s", flush=True)
    if asked.keep:
        asked.keep.write_text(json.dumps(found, indent=1))
    for name in found[libraries[0]]:
        absent = {"outcome": "not there", "text": ""}
        told = [found[library].get(name, absent) for library in libraries]
        kinds = [each["outcome"] for each in told]
        if "fail" in kinds or len(set(kinds)) > 1:
            print(f"{name}: {' / '.join(kinds)}: {told[0]['text'].strip().splitlines()[-1:]}")


if __name__ == "__main__":
    main()
