"""`python -m tests.differential --seeds 0:10000 --show 3`: differences summarised by kind, for developers."""

from __future__ import annotations

import argparse
import importlib
import os
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any

from .check import Result, check, reproducer, shrink
from .compare import OWN_COLUMN, UNDECIDED, Mismatch
from .program import Raised

#: Seeds a worker takes at a time.
CHUNK = 50


def modules(names: tuple[str, str]) -> tuple[Any, Any]:
    reference, tested = (importlib.import_module(name) for name in names)
    if hasattr(reference, "set_num_threads"):
        reference.set_num_threads(1)
    return reference, tested


def work(seeds: range, names: tuple[str, str]) -> list[Result]:
    reference, tested = modules(names)
    return [check(seed, reference, tested) for seed in seeds]


def summary(results: list[Result]) -> str:
    """The first difference of each program, by kind and operation, and what stands in columns of its own."""
    operations: dict[str, Counter[str]] = defaultdict(Counter)
    example: dict[tuple[str, str], str] = {}
    columns: Counter[str] = Counter()
    for result in results:
        columns.update({m.kind for m in result.mismatches if m.kind in (*OWN_COLUMN, UNDECIDED)})
        if (mismatch := result.first) is not None:
            op = result.program.instructions[mismatch.index].op
            operations[mismatch.kind][op] += 1
            example.setdefault((mismatch.kind, op), f"seed {result.seed}: {mismatch.text()}")
    lines = []
    for kind, counts in sorted(operations.items(), key=lambda item: -item[1].total()):
        lines.append(f"{kind}: {counts.total()}")
        for op, times in counts.most_common(15):
            text = " ".join(example[kind, op].split())
            lines.append(f"  {times:4} {op:40} {text[:150]}")
    outcomes = [outcome for result in results for outcome in result.reference.outcomes]
    refused = sum(isinstance(outcome, Raised) for outcome in outcomes)
    equal = sum(result.first is None for result in results)
    aside = ", ".join(f"{kind} in {count}" for kind, count in columns.most_common()) or "nothing"
    lines.append(f"{len(outcomes)} instructions, of which torch refuses {refused}")
    lines.append(f"{equal} of {len(results)} programs equal; in columns of their own: {aside}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--seeds", default="0:2000", help="a range a:b, or one seed")
    parser.add_argument("--reference", default="torch")
    parser.add_argument("--module", default="pullback", help="the module that is tested")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--kind", help="only differences of this kind, such as value, gradient, grad_fn, stride"
    )
    parser.add_argument("--op", help="only differences in this operation, such as .add_ or torch.cat")
    parser.add_argument("--ignore", nargs="*", default=[], help="kinds that do not count, such as stride")
    parser.add_argument(
        "--show", type=int, nargs="?", const=3, default=0, help="print so many shrunk reproducers"
    )
    parser.add_argument(
        "--print", action="store_true", help="print the programs themselves, and do nothing else"
    )
    options = parser.parse_args()
    first, _, last = options.seeds.partition(":")
    seeds = range(int(first), int(last) if last else int(first) + 1)
    names = (options.reference, options.module)
    if options.print:
        reference, _ = modules((options.reference, options.reference))
        for seed in seeds:
            print(f"# seed {seed}\n{check(seed, reference, reference).program.script()}")
        return
    started = time.perf_counter()
    chunks = [seeds[i : i + CHUNK] for i in range(0, len(seeds), CHUNK)]
    if options.jobs > 1 and len(chunks) > 1:
        with ProcessPoolExecutor(options.jobs) as pool:
            results = [result for part in pool.map(work, chunks, [names] * len(chunks)) for result in part]
    else:
        results = [result for chunk in chunks for result in work(chunk, names)]

    # A kind from a column of its own counts when it is asked for.
    columns = (options.kind,) if options.kind in OWN_COLUMN else ()

    def wanted(mismatch: Mismatch, result: Result) -> bool:
        op = result.program.instructions[mismatch.index].op
        return options.kind in (None, mismatch.kind) and options.op in (None, op)

    results = [
        replace(
            result, columns=columns, mismatches=[m for m in result.mismatches if m.kind not in options.ignore]
        )
        for result in results
    ]
    results = [result for result in results if result.first is None or wanted(result.first, result)]
    print(summary(results))
    print(f"{time.perf_counter() - started:.0f} s")
    reference, tested = modules(names)
    for result in islice((r for r in results if r.first is not None), options.show):
        assert result.first is not None
        small, expected, mismatch = shrink(result.program, result.first, reference, tested)
        print("\n" + reproducer(small, expected, mismatch, result.seed))


if __name__ == "__main__":
    main()
