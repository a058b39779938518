"""Make a program that differs smaller: leave out what it differs without."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator

from .programs import Program, Verdict


def shrunk(program: Program, judge: Callable[[Program], Verdict]) -> Program:
    """Return a smallest program, by leaving out one thing at a time, that still differs from eager.

    It must not raise in more calls than the whole program: a name that is gone is no finding.
    """
    raised = judge(program).raised
    smaller = True
    while smaller:
        smaller = False
        for candidate in _candidates(program):
            try:
                verdict = judge(candidate)
            except Exception:  # noqa: BLE001  # what was left out was needed
                continue
            if verdict.differences and verdict.raised <= raised:
                program, smaller = candidate, True
                break
    return program


def _candidates(program: Program) -> Iterator[Program]:
    """Each program with one thing less, the largest things first."""
    for n in range(len(program.changes)):
        yield dataclasses.replace(program, changes=program.changes[:n] + program.changes[n + 1 :])
    tree = ast.parse(program.source)
    for block in _blocks(tree):
        for n in reversed(range(len(block))):
            left = block.pop(n)
            if block:
                yield dataclasses.replace(program, source=ast.unparse(tree) + "\n")
            block.insert(n, left)
    watched = ast.parse(f"({program.state},)", mode="eval").body
    if isinstance(watched, ast.Tuple) and len(watched.elts) > 1:
        for n in range(len(watched.elts)):
            rest = watched.elts[:n] + watched.elts[n + 1 :]
            yield dataclasses.replace(program, state=", ".join(map(ast.unparse, rest)))


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block
