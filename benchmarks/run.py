"""The benchmark's parent process: opens one worker per peer and lets them take turns.

For every row each peer builds its case and warms up; then come the rounds, and in each round every peer
gives one sample, the order rotating from round to round. A peer's figure is the median of its samples; its
ratio is the median over the rounds of its sample divided by PyTorch's sample *of the same round*, which a
slow spell of the machine cancels out of.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks import pictures, report
from benchmarks.case import AnyRow, ProcessRow, Row
from benchmarks.peers import BASELINE, BY_NAME, PEERS, Peer
from benchmarks.suite import HELD, OPEN
from benchmarks.worker import serve
from benchmarks.workloads import ROWS

# Thread pools spin for a while after their last task (OpenBLAS for about 25 ms) and would take a core from
# the next peer.
PAUSE_SECONDS = 0.04
OPEN_TIMEOUT = 600.0
SAMPLE_TIMEOUT = 120.0
EXIT_TIMEOUT = 5.0
TOLERANCE = 5e-3
#: Groups of rows whose compiled programs are set beside what the machine could do.
WITH_CEILING = frozenset("bcdefghijkl")
CHAIN_NODES, QUICK_CHAIN_NODES = 1_000_000, 100_000


REPOSITORY = Path(__file__).resolve().parents[1]


class WorkerError(Exception):
    """A peer failed at a row; the text says how."""


class Worker:
    """The parent's end of one peer's process, which is started again after it hung or died."""

    def __init__(self, peer: Peer, sample_seconds: float) -> None:
        self.peer = peer
        self.sample_seconds = sample_seconds
        self.process: BaseProcess | None = None
        self.connection: Connection | None = None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=serve, args=(theirs, self.peer.name, self.sample_seconds), daemon=True
        )
        self.process.start()
        theirs.close()
        return self.connection

    def ask(self, command: str, argument: Any = None, timeout: float = SAMPLE_TIMEOUT) -> Any:
        connection = self.connection or self._start()
        connection.send((command, argument))
        try:
            if not connection.poll(timeout):
                raise EOFError(f"no answer within {timeout:.0f} s")
            status, value = connection.recv()
        except (EOFError, OSError) as error:
            self.stop()
            raise WorkerError(f"{type(error).__name__}: {error or 'the process died'}") from error
        if status == "error":
            raise WorkerError(value)
        return value

    def stop(self) -> None:
        if self.connection is not None:
            self.connection.close()
        if self.process is not None:
            # A closed connection ends a worker that listens; compilers want that moment to end their own
            # helpers.
            self.process.join(EXIT_TIMEOUT)
            self.process.kill()
            self.process.join()
        self.process = self.connection = None


def _rotated(names: Sequence[str], by: int) -> list[str]:
    by %= len(names) or 1
    return [*names[by:], *names[:by]]


def _ratios(samples: dict[str, list[float]]) -> dict[str, float | None]:
    base = samples.get(BASELINE)
    return {
        name: statistics.median(mine / theirs for mine, theirs in zip(values, base, strict=True))
        if base
        else None
        for name, values in samples.items()
    }


def _agrees(numbers: Sequence[float], reference: Sequence[float]) -> bool:
    return all(
        math.isclose(mine, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        for mine, theirs in zip(numbers, reference, strict=True)
    )


def _result(samples: dict[str, list[float]], failures: dict[str, str]) -> dict[str, Any]:
    ratios = _ratios(samples)
    return {
        "peers": {
            name: {"median": statistics.median(values), "ratio": ratios[name], "samples": values}
            for name, values in samples.items()
        },
        "failures": failures,
    }


def measure_row(row: Row, workers: dict[str, Worker], rounds: int) -> dict[str, Any]:
    """Open the row in every worker that can run it, take the rounds, close it."""
    opened: dict[str, dict[str, Any]] = {}
    failures: dict[str, str] = {}
    for name, worker in workers.items():
        if worker.peer.family in row.builders and (row.compiled or not worker.peer.compiles):
            try:
                opened[name] = worker.ask("open", row.name, OPEN_TIMEOUT)
            except WorkerError as error:
                failures[name] = str(error)
    samples: dict[str, list[float]] = {name: [] for name in opened}
    for number in range(rounds if row.rounds is None else min(rounds, row.rounds)):
        for name in _rotated([name for name in opened if name in samples], number):
            time.sleep(PAUSE_SECONDS)
            try:
                samples[name].append(workers[name].ask("sample"))
            except WorkerError as error:
                failures[name] = str(error)
                del samples[name]
    ceilings: dict[str, Any] = {}
    eager: dict[str, list[str]] = {}
    for name in samples:
        if workers[name].peer.tells and row.group in WITH_CEILING:
            try:
                ceilings[name] = workers[name].ask("ceiling")
            except WorkerError as error:
                failures[name] = str(error)
        eager[name] = workers[name].ask("close")
    result = _result(samples, failures) | {"ceilings": ceilings}
    reference = opened.get(BASELINE, {}).get("numbers")
    for name, entry in result["peers"].items():
        entry |= opened[name] | {"eager": eager[name]}
        entry["agrees"] = None if reference is None else _agrees(entry["numbers"], reference)
    return result


def measure_probe(
    rows: Sequence[ProcessRow], peers: Iterable[Peer], rounds: int, nodes: int
) -> dict[str, dict[str, Any]]:
    """Run one probe, a process per sample, and share its figures out to the rows that want them."""
    wanted = rows[0]
    takes = {
        row.name: [peer.name for peer in peers if row.takes(peer.name, peer.family, peer.compiles)]
        for row in rows
    }
    names = [peer.name for peer in peers if any(peer.name in some for some in takes.values())]
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    failures: dict[str, str] = {}
    # A round with the number 0 fills the file cache and is not counted.
    for number in range(0 if wanted.warm else 1, min(rounds, wanted.rounds) + 1):
        for name in _rotated([name for name in names if name in figures], number):
            command = [sys.executable, "-m", "benchmarks.probe", wanted.probe, name, str(nodes)]
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=OPEN_TIMEOUT, check=False
                )
            except subprocess.TimeoutExpired as error:
                failures[name] = str(error)
                del figures[name]
                continue
            if done.returncode != 0:
                failures[name] = done.stderr.strip()[-600:]
                del figures[name]
            elif number:
                figures[name].append(json.loads(done.stdout.splitlines()[-1]))
    return {
        row.name: _result(
            {name: [one[row.key] for one in figures[name]] for name in takes[row.name] if name in figures},
            {name: text for name, text in failures.items() if name in takes[row.name]},
        )
        for row in rows
    }


def measure_start(row: Row, peers: Sequence[Peer]) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Seconds of each peer's first call and the most memory held, new and from the disk cache; failures."""
    names = frozenset(peer.name for peer in peers)
    probes = [
        ProcessRow(key, row.title, f"start:{row.name}", key, key[-2:], peers=names, rounds=1, warm=False)
        for key in report.START_KEYS
    ]
    results = measure_probe(probes, peers, 1, 0)
    found = {
        name: {key: results[key]["peers"][name]["median"] for key in report.START_KEYS}
        for name in results["first_s"]["peers"]
    }
    return found, {f"{name}, first call": text for name, text in results["first_s"]["failures"].items()}


def chosen_rows(only: str | None, table: Mapping[str, AnyRow] = ROWS) -> list[AnyRow]:
    """Rows named in a comma-separated list: groups (a), names (a-mul-0d), beginnings of names (a-mul)."""
    if not only:
        return list(table.values())
    wanted = [word.strip() for word in only.split(",") if word.strip()]
    rows = [
        row
        for row in table.values()
        if any(row.group == word or row.name.startswith(f"{word}-") or row.name == word for word in wanted)
    ]
    if not rows:
        raise SystemExit(f"no row matches {only!r}; rows: {', '.join(table)}")
    return rows


def chosen_peers(names: str | None) -> list[Peer]:
    """The installed peers; those asked for by name must be installed."""
    if not names:
        return [peer for peer in PEERS if peer.installed()]
    unknown = [name for name in names.split(",") if name not in BY_NAME or not BY_NAME[name].installed()]
    if unknown:
        raise SystemExit(f"not installed or unknown: {', '.join(unknown)}; peers: {', '.join(BY_NAME)}")
    return [BY_NAME[name] for name in names.split(",")]


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", metavar="ROWS", help="groups or names of rows, separated by commas: a,d,l-hessian"
    )
    parser.add_argument(
        "--peers", metavar="NAMES", help=f"peers, separated by commas, of {', '.join(BY_NAME)}"
    )
    parser.add_argument(
        "--quick", action="store_true", help="few short samples: does it run, roughly how fast"
    )
    parser.add_argument("--rounds", type=int, help="samples of each peer in each row (15; 3 with --quick)")
    parser.add_argument(
        "--output", type=Path, help="folder of the results (benchmarks/results, or suite or held in it)"
    )
    parser.add_argument("--suite", action="store_true", help="the suite of whole steps instead of the table")
    parser.add_argument("--held", action="store_true", help="the steps of the suite that are kept aside")
    parser.add_argument(
        "--start",
        metavar="NAMES",
        help="peers whose first calls and peak memory are measured, two processes a row of the suite "
        "(all of the run; none leaves them out)",
    )
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print one line per row as it comes, write JSON, Markdown and PNG."""
    options = _arguments(argv)
    table = HELD if options.held else OPEN if options.suite else ROWS
    suite = options.suite or options.held
    rows = chosen_rows(options.only, table)
    if options.list:
        print("\n".join(f"{row.name:22} {row.title}" for row in rows))
        return 0
    # Workers and probes must find this package, and pullback's working tree where it is not installed.
    sys.path[:0] = ours = [str(REPOSITORY), str(REPOSITORY / "src")]
    theirs = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [*ours, *theirs]))
    peers = chosen_peers(options.peers)
    starting = [] if options.start == "none" or not suite else chosen_peers(options.start or options.peers)
    rounds = options.rounds or (3 if options.quick else 15)
    sample_seconds = 0.005 if options.quick else 0.05
    nodes = QUICK_CHAIN_NODES if options.quick else CHAIN_NODES
    workers = {peer.name: Worker(peer, sample_seconds) for peer in peers}
    settings = {"rounds": rounds, "sample_seconds": sample_seconds, "chain_nodes": nodes}
    results: dict[str, Any] = {"about": report.about(peers, settings), "rows": []}
    print(report.header(results["about"], [peer.name for peer in peers]), flush=True)
    try:
        finished: dict[str, dict[str, Any]] = {}
        for row in rows:
            if isinstance(row, Row):
                finished[row.name] = measure_row(row, workers, rounds)
            elif row.name not in finished:
                same = [other for other in rows if isinstance(other, ProcessRow) and other.probe == row.probe]
                finished |= measure_probe(same, peers, rounds, nodes)
            entry = report.describe(row) | finished[row.name]
            results["rows"].append(entry)
            print(report.line(entry, [peer.name for peer in peers]), flush=True)
            if starting and isinstance(row, Row):
                opened = [peer for peer in starting if peer.name in entry["peers"]]
                entry["start"], failures = measure_start(row, opened)
                entry["failures"] |= failures
                print(report.start_line(entry, [peer.name for peer in peers]), flush=True)
    finally:
        for worker in workers.values():
            worker.stop()
    print(report.footer(results))
    output = options.output or REPOSITORY / "benchmarks/results" / (
        "held" if options.held else "suite" if suite else ""
    )
    output.mkdir(parents=True, exist_ok=True)
    draw = pictures.ratios if suite else pictures.peers
    for path in report.write(results, output, draw):
        print(f"wrote {path}")
    return 0
