"""``python -m tools.attack ATTACK [options]``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any


def _forks(chosen: argparse.Namespace) -> list[str]:
    from .forks import forks

    return forks(chosen.count or 200, chosen.seed)


def _fuzz(chosen: argparse.Namespace) -> list[str]:
    from .fuzz import fuzz

    return fuzz(chosen.count or 100_000, chosen.seed, chosen.jobs)


def _runs(name: str, count: int) -> Callable[[argparse.Namespace], list[str]]:
    def run(chosen: argparse.Namespace) -> list[str]:
        from . import runs

        found: list[str] = getattr(runs, name)(chosen.count or count)
        return found

    return run


def _saves(name: str, count: int) -> Callable[[argparse.Namespace], list[str]]:
    def run(chosen: argparse.Namespace) -> list[str]:
        from . import saves

        found: list[str] = getattr(saves, name)(chosen.count or count, chosen.seed)
        return found

    return run


def _environments(chosen: argparse.Namespace) -> list[str]:
    from .environments import environments

    return environments(chosen.count)


def _guards(which: str) -> Callable[[argparse.Namespace], list[str]]:
    def run(chosen: argparse.Namespace) -> list[str]:
        from .guards import guards

        return guards(which, chosen.count, chosen.jobs)

    return run


#: By name: what runs it, and what its count is of.
ATTACKS: dict[str, tuple[Callable[[argparse.Namespace], list[str]], str]] = {
    "fuzz": (_fuzz, "hostile files (100000)"),
    "ops": (_guards("ops"), "compiled ops between guard pages (all rows of the table of samples, twice)"),
    "suite": (_guards("suite"), "steps of benchmarks/suite between guard pages (all, twice)"),
    "saves": (_saves("saves", 300), "processes that are killed while they save (300)"),
    "cache": (_saves("caches", 3000), "damaged entries of the cache, and others' folders (3000)"),
    "environments": (_environments, "strange environments of a small program (all)"),
    "interrupts": (_runs("interrupts", 200), "interrupts of each of five kinds of work (200)"),
    "threads": (_runs("threads", 500), "rounds of 16 threads (500)"),
    "graphs": (_runs("graphs", 1_000_000), "nodes of graphs (1000000)"),
    "leaks": (_runs("leaks", 10_000), "repetitions of ten kinds of steps, without the collector (10000)"),
    "forks": (_forks, "forks while five threads are inside the package (200)"),
}


def main(arguments: list[str]) -> int:
    """Run the attacks that are named; all where none is."""
    about = "\n".join(f"  {name:12} {what}" for name, (_, what) in ATTACKS.items())
    parser = argparse.ArgumentParser(
        "python -m tools.attack", description=__doc__, epilog=f"attacks, and what COUNT is of:\n{about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("attacks", nargs="*", choices=[*ATTACKS, []], metavar="ATTACK")
    parser.add_argument("--count", type=int, help="how much of it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side (fuzz)")
    chosen: Any = parser.parse_args(arguments)
    failed = 0
    for name in chosen.attacks or ATTACKS:
        start = time.perf_counter()
        found = ATTACKS[name][0](chosen)
        failed += len(found)
        print(f"{name}: {len(found) or 'nothing'} went wrong, in {time.perf_counter() - start:.0f} s")
        for line in found:
            print(f"  {line}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
