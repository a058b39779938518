"""Runs the program of a seed under both modules, and shrinks one that shows a difference."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .compare import OWN_COLUMN, UNDECIDED, Mismatch, compare
from .generator import generate
from .program import Program, Raised, Run, run


@dataclass(frozen=True)
class Result:
    """What became of one seed."""

    seed: int
    program: Program
    reference: Run
    mismatches: list[Mismatch]
    columns: tuple[str, ...] = ()  # kinds that count although they stand in columns of their own

    @property
    def first(self) -> Mismatch | None:
        """The difference that the program is counted by: what follows it may only be its consequence."""
        return first_of(self.mismatches, self.columns)


def first_of(mismatches: list[Mismatch], columns: Collection[str] = ()) -> Mismatch | None:
    """The first difference, without the undecided and the columns of their own that are not asked for."""
    aside = {UNDECIDED, *OWN_COLUMN} - set(columns)
    return next((mismatch for mismatch in mismatches if mismatch.kind not in aside), None)


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
    program: Program, mismatch: Mismatch, reference: Any, tested: Any
) -> tuple[Program, Run, Mismatch]:
    """The program without all that the first difference of the same kind does not need."""
    expected, _ = examine(program, reference, tested)
    for candidates in (fewer_instructions, shorter_lists):
        index = len(program.instructions) - 1
        while index >= 0:
            for smaller in candidates(program, index):
                outcome, mismatches = examine(smaller, reference, tested)
                first = first_of(mismatches, (mismatch.kind,))
                if first is not None and first.kind == mismatch.kind:
                    program, expected, mismatch = smaller, outcome, first
                    index = min(index, len(program.instructions))
                    break
            index -= 1
    return program, expected, mismatch


def fewer_instructions(program: Program, index: int) -> Iterator[Program]:
    smaller = program.without(index)
    if smaller.instructions:
        yield smaller


#: Places of arguments that are lists of equal length, by the function that they are given to.
PARALLEL = {"torch.autograd.grad": ((1,), (0, 2)), "torch.autograd.backward": ((0, 1),)}


def shorter_lists(program: Program, index: int) -> Iterator[Program]:
    """Programs whose call of `backward` or `grad` has fewer outputs or inputs."""
    instruction = program.instructions[index]
    for places in PARALLEL.get(instruction.op, ()):
        lists = [instruction.args[place] for place in places if place < len(instruction.args)]
        for dropped in range(len(lists[0]) if len(lists[0]) > 1 else 0):
            args = list(instruction.args)
            for place, values in zip(places, lists):
                args[place] = values[:dropped] + values[dropped + 1 :]
            yield program.replaced(index, replace(instruction, args=tuple(args)))


def reproducer(program: Program, expected: Run, mismatch: Mismatch, seed: int) -> str:
    """The difference in words, and a script that shows it."""
    raising = [index for index, outcome in enumerate(expected.outcomes) if isinstance(outcome, Raised)]
    return f"seed {seed}: {mismatch.text()}\n\n{program.script(raising=raising)}"
