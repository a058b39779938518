"""Runs the program of a seed under both modules, and shrinks one that shows a difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .compare import UNDECIDED, Mismatch, compare
from .generator import generate
from .program import Program, Raised, Run, run


@dataclass(frozen=True)
class Result:
    """What became of one seed."""

    seed: int
    program: Program
    reference: Run
    mismatches: list[Mismatch]

    @property
    def failures(self) -> list[Mismatch]:
        return [mismatch for mismatch in self.mismatches if mismatch.kind != UNDECIDED]


def examine(program: Program, reference: Any, tested: Any) -> tuple[Run, list[Mismatch]]:
    """Run a program under both modules and compare."""
    expected = run(program, reference)
    found = run(program, tested)
    return expected, compare(program, expected, found, lambda: widened(program, expected, reference))


def widened(program: Program, expected: Run, reference: Any) -> Run | None:
    """The run of the program in float64, unless that raises where the program as written does not."""
    wide = run(program, reference, widen=True)
    same = all(
        isinstance(a, Raised) == isinstance(b, Raised) for a, b in zip(expected.outcomes, wide.outcomes)
    )
    return wide if same else None


def check(seed: int, reference: Any, tested: Any) -> Result:
    program = generate(seed, reference)
    expected, mismatches = examine(program, reference, tested)
    return Result(seed, program, expected, mismatches)


def shrink(
    program: Program,
    mismatch: Mismatch,
    reference: Any,
    tested: Any,
    kinds: Callable[[Mismatch], Any] = lambda mismatch: mismatch.kind,
) -> tuple[Program, Run, Mismatch]:
    """The program with all instructions dropped that the first difference of the same kind does not need."""
    expected, _ = examine(program, reference, tested)
    index = len(program.instructions) - 1
    while index >= 0:
        smaller = program.without(index)
        if smaller.instructions:
            outcome, mismatches = examine(smaller, reference, tested)
            alike = [other for other in mismatches if kinds(other) == kinds(mismatch)]
            if alike:
                program, expected, mismatch = smaller, outcome, alike[0]
                index = min(index, len(program.instructions))
        index -= 1
    return program, expected, mismatch


def reproducer(program: Program, expected: Run, mismatch: Mismatch, seed: int) -> str:
    """The difference in words, and a script that shows it."""
    raising = [index for index, outcome in enumerate(expected.outcomes) if isinstance(outcome, Raised)]
    return f"seed {seed}: {mismatch.text()}\n\n{program.script(raising=raising)}"
