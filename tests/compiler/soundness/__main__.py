"""Run the table: ``python -m tests.compiler.soundness [--torch] [--names PART] [--verbose] [--idle]``.

It prints how many programs there are, how many compiled ones differ from eager, and how many compiled, and
lists those that fail. ``--torch`` runs the same table with torch and ``torch.compile(backend="eager")``.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
import traceback
from collections.abc import Iterable, Iterator

from .describing import differences
from .programs import Program, Verdict, compare, run
from .tables import all_programs
from .with_torch import verdicts_of_torch


def main() -> None:
    """Run the programs that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.compiler.soundness")
    parser.add_argument("--torch", action="store_true", help="run torch.compile of torch itself")
    parser.add_argument("--names", default="", help="only programs whose name contains this")
    parser.add_argument("--verbose", action="store_true", help="say of each program what it became")
    parser.add_argument("--idle", action="store_true", help="list programs whose changes change nothing")
    options = parser.parse_args()
    programs = [program for program in all_programs() if options.names in program.name]
    if options.idle:
        print_idle(programs)
        return
    began = time.perf_counter()
    verdicts = []
    for verdict in verdicts_of_torch(programs) if options.torch else verdicts_of_pullback(programs):
        verdicts.append(verdict)
        if options.verbose:
            became = f"compiled in {verdict.native} calls" if verdict.compiled else verdict.eager_because
            print(f"{verdict.program.name}: {'differs; ' if verdict.differences else ''}{became}", flush=True)
    report(verdicts, time.perf_counter() - began)


def report(verdicts: list[Verdict], seconds: float) -> None:
    """Print the counts and the failures."""
    failed = [verdict for verdict in verdicts if verdict.complaints]
    for verdict in failed:
        print(f"{verdict.program.name}")
        for text in verdict.complaints:
            print(f"    {text}")
    wrong = [verdict for verdict in verdicts if verdict.differences]
    raised = [v for v in wrong if any(": error" in text or "the runner" in text for text in v.differences)]
    must = [verdict for verdict in verdicts if verdict.program.compiles]
    print(f"{len(verdicts)} programs in {seconds:.0f} s")
    print(f"{len(wrong) - len(raised)} wrong silently, {len(raised)} raise otherwise")
    print(f"{sum(verdict.compiled for verdict in verdicts)} compiled")
    print(f"{sum(v.compiled for v in must)} of the {len(must)} that must compile, of which "
          f"{sum(v.compiled and not v.complaints for v in must)} right")  # fmt: skip


def verdicts_of_pullback(programs: Iterable[Program]) -> Iterator[Verdict]:
    """Compare each program with itself compiled."""
    import pullback

    for program in programs:
        pullback.compiler.reset()
        try:
            yield compare(program, pullback, pullback.compile)
        except Exception:  # noqa: BLE001  # the others are to be run, and this one is told
            text = f"the runner: {traceback.format_exc(limit=-3)}"
            yield Verdict(program, [text], 0, "it failed", ["it failed"])


def print_idle(programs: list[Program]) -> None:
    """List programs that do the same without their changes."""
    import pullback

    for program in programs:
        if program.changes:
            changed = run(program, pullback).records
            try:
                plain = run(dataclasses.replace(program, changes=(), after=""), pullback).records
            except NameError:
                continue  # a change makes the arguments
            if not any(differences(a[key], b[key]) for a, b in zip(changed, plain) for key in a):
                print(program.name)


if __name__ == "__main__":
    main()
