"""The table of training steps: each eager against compiled, three times, on one thread and on two.

``python -m tests.compiler.soundness.models`` prints it; see its ``--help``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.compiler.soundness.training import CASES, DTYPES, Differences, Outcome, differences, run, unequal

for path in sorted(Path(__file__).parent.glob("models_*.py")):
    importlib.import_module(f"tests.compiler.soundness.{path.stem}")


class Row(NamedTuple):
    """What became of a case in one dtype.

    Attributes
    ----------
    step : Outcome
        The first run of the compiled step.
    apart : Differences
        Of that run from the eager one.
    loss : Outcome or None
        The run whose loss alone was compiled; None where there is none.
    loss_apart : Differences or None
    unequal : list of str
        What the runs of the compiled step do not have in common to the bit.
    """

    step: Outcome
    apart: Differences
    loss: Outcome | None
    loss_apart: Differences | None
    unequal: list[str]

    def wrong(self, dtype: str) -> list[str]:
        """What is not as it is eagerly, or not as it was in another run."""
        found = [] if self.apart.within(dtype) else [f"step: {self.apart}"]
        if self.loss_apart is not None and not self.loss_apart.within(dtype):
            found.append(f"loss: {self.loss_apart}")
        return found + [f"unequal: {name}" for name in self.unequal]


def row(name: str, dtype: str, again: tuple[int, ...] = (1, 1, 2)) -> Row:
    """Run a case eagerly, compiled, once more on as many threads as each of `again` says, and its loss
    alone compiled.
    """
    make = CASES[name].make
    expected = run(make, dtype)
    first = run(make, dtype, "step")
    found = []
    for threads in again:
        other = run(make, dtype, "step", threads)
        found += [f"{n} on {threads} threads" for n in unequal(first, other)]
    loss = run(make, dtype, "loss")
    loss_apart = None if loss is None else differences(expected, loss, dtype)
    return Row(first, differences(expected, first, dtype), loss, loss_apart, found)


def chosen(parts: list[str], dtypes: list[str], ci: bool = False) -> Iterator[tuple[str, str]]:
    """The names and dtypes of cases; with `ci` those that every run of the suite looks at."""
    for name, each in CASES.items():
        if not parts or any(part in name for part in parts):
            yield from ((name, d) for d in (each.ci if ci else each.dtypes) if d in dtypes)


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; all cases where none is given")
    parser.add_argument("--dtype", choices=DTYPES, action="append")
    parser.add_argument("--ci", action="store_true", help="the cases of every run of the suite")
    options = parser.parse_args(arguments)
    wrong = rows = eager = 0
    # The second run of a program reads what the first one compiled.
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(PULLBACK_CACHE="1", PULLBACK_CACHE_DIR=folder)
        print(
            f"{'name':34} {'dtype':8} {'s':>4} {'1st loss':>8} {'losses':>8} {'gradients':>9} {'state':>8}"
            f" {'loss alone: gradients':>22}"
        )
        for name, dtype in chosen(options.names, options.dtype or list(DTYPES), options.ci):
            start = time.perf_counter()
            found = row(name, dtype)
            seconds = time.perf_counter() - start
            first, losses, gradients, state, _ = found.apart
            alone = "-" if found.loss_apart is None else f"{found.loss_apart.gradients:.1e}"
            mistakes = found.wrong(dtype)
            notes = [f"WRONG {text}" for text in mistakes[:2]]
            for what, outcome in (("", found.step), ("loss ", found.loss)):
                if outcome is not None and outcome.eager_because is not None:
                    notes.append(f"{what}eager: {outcome.eager_because}")
                elif outcome is not None and outcome.traces > 2:
                    notes.append(f"{what}{outcome.traces} traces")
            kernels = sorted(set(found.step.kernels()))
            notes += [f"array kernels: {' '.join(kernels)}"] if kernels else []
            rows += 1
            eager += found.step.eager_because is not None
            wrong += bool(mistakes)
            print(
                f"{name:34} {dtype:8} {seconds:4.1f} {first:8.1e} {losses:8.1e} {gradients:9.1e} {state:8.1e}"
                f" {alone:>22}  {'; '.join(notes)}",
                flush=True,
            )
    print(f"{rows} rows of {len(CASES)} cases, {eager} not compiled, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
