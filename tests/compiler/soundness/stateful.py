"""Run drawn programs: ``python -m tests.compiler.soundness.stateful --seeds 0:5000``.

It prints how many differ from eager, with their seeds, how many compiled, and why others ran eagerly.
``--show SEED`` prints one program and what it does, ``--shrink SEED`` the smallest part of it that differs.
"""

from __future__ import annotations

import argparse
import re
import time
import traceback
from collections import Counter

import pullback

from .drawing import draw
from .programs import Program, Verdict, compare
from .shrinking import shrunk


def judge(program: Program) -> Verdict:
    """Compare a program with itself compiled."""
    return compare(program, pullback, pullback.compile)


def verdict_of(seed: int) -> Verdict:
    """Compare the program of a seed."""
    return judge(draw(seed))


def text_of(program: Program) -> str:
    """Return a program and its changes as text."""
    changes = [
        f"# before call {n}{', another thread' if by_thread else ''}: {text}"
        for n, by_thread, text in program.changes
    ]
    return "\n".join([program.source, *changes, f"# state: {program.state}"])


def main() -> None:
    """Run the seeds that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.compiler.soundness.stateful")
    parser.add_argument("--seeds", default="0:500", help="FIRST:LAST, without the last")
    parser.add_argument("--show", type=int, help="print the program of one seed and what it does")
    parser.add_argument("--shrink", type=int, help="the same of the smallest part of it that differs")
    options = parser.parse_args()
    if options.show is not None or options.shrink is not None:
        program = draw(options.show) if options.shrink is None else shrunk(draw(options.shrink), judge)
        print(text_of(program))
        verdict = judge(program)
        print("\n".join(["", *verdict.complaints, f"compiled in {verdict.native} calls"]))
        return
    first, last = map(int, options.seeds.split(":"))
    began = time.perf_counter()
    different: dict[int, str] = {}
    broken: dict[int, str] = {}
    reasons: Counter[str] = Counter()
    eager: list[int] = []
    plain = plain_compiled = compiled = quick = 0
    for seed in range(first, last):
        program = draw(seed)
        plain += program.compiles
        try:
            verdict = judge(program)
        except Exception as error:  # noqa: BLE001  # other seeds are to be run, and this one is told
            broken[seed] = f"{traceback.format_exc(limit=-1).splitlines()[-1]} ({type(error).__name__})"
            continue
        if verdict.differences:
            different[seed] = verdict.differences[0]
        compiled += verdict.compiled
        plain_compiled += verdict.compiled and program.compiles
        quick += verdict.native == program.calls
        if program.compiles and not verdict.compiled:
            eager.append(seed)
        if not verdict.compiled:
            # Names and numbers of programs say nothing about the reason.
            why = str(verdict.eager_because)
            reasons[re.sub(r"<[^>]*>:\d+|\d+", "…", why)] += 1
        pullback.compiler.reset()
    total = last - first
    for seed, text in different.items():
        print(f"seed {seed}: {text}")
    for seed, text in broken.items():
        print(f"seed {seed} breaks the runner: {text}")
    for why, count in reasons.most_common():
        print(f"{count:6} ran eagerly: {why}")
    print(f"seeds of nothing unknown that ran eagerly: {eager}")
    seconds = time.perf_counter() - began
    print(f"{total} programs in {seconds:.0f} s: {len(different)} differ, {len(broken)} break the runner")
    print(f"{compiled} compiled ({compiled / total:.0%}), {quick} of them in every call")
    share = plain_compiled / max(plain, 1)
    print(f"{plain} contain nothing unknown ({plain / total:.0%}); of these compiled {share:.0%}")


if __name__ == "__main__":
    main()
