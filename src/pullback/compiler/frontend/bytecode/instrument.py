"""Rewrite a function's bytecode so that each operation on an object is a call of a function that sees it.

An instruction is harmless (it moves values between the stack and locals, or jumps), or it becomes a call of
one of the `Hooks`, or, when it is executed, it makes the trace refuse. Python itself does all else: control
flow, exceptions, generators, closures. Frames are real ones, with the user's file and lines.
"""

import functools
import inspect
from collections.abc import Sequence
from types import CodeType

from .hooks import Hooks
from .instructions import (
    Handler,
    Instruction,
    Position,
    bytes_of,
    code_of,
    numbers,
    put_together,
    taken_apart,
)
from .null_slots import find_nulls
from .replacements import STAYING, Replacements

#: Places of the stack that calls of hooks need at most.
_STACK = 6
#: Instructions of which more is to be told than what stands in their place.
_ALONE = frozenset({"KW_NAMES", "MAKE_CELL", "RESUME"})


class _Rewritten:
    """Say, as the last constant of a code object, of which other one it is the twin."""

    __slots__ = ("original",)

    def __init__(self, original: CodeType) -> None:
        self.original = original


def original(code: CodeType) -> CodeType | None:
    """Return the code of which a code object is the rewritten twin; None if it is none."""
    last = code.co_consts[-1] if code.co_consts else None
    return last.original if type(last) is _Rewritten else None


def instrumented(code: CodeType, hooks: Hooks) -> CodeType:
    """Return the rewritten twin of a code object."""
    # Equal code objects may be of other files, which frames and messages tell.
    return _instrumented(code, code.co_filename, code.co_qualname, hooks)


@functools.lru_cache(maxsize=4096)
def _instrumented(code: CodeType, file: str, name: str, hooks: Hooks) -> CodeType:
    body = taken_apart(code)
    nulls = find_nulls(body)
    writer = Replacements(code, body, hooks)
    named: tuple[str, ...] = ()
    order = numbers(body.instructions, body.handlers)
    special = order.keys() | writer.special
    before: dict[int, Instruction] = {}
    last: dict[int, Instruction] = {}
    written: list[Instruction | bytes] = []
    positions: list[Position] = []
    jumps: list[Instruction] = []
    #: What is written for instructions that no other one says more of, by name, argument and stack.
    known: dict[tuple[str, int, tuple[bool, ...]], bytes] = {}
    # Cells are made before the function begins, which only then can call something.
    cells: list[Instruction] = []
    begun = False
    for instruction, there in zip(body.instructions, nulls, strict=True):
        key, kind, arg = None, instruction.name, instruction.arg
        told = id(instruction) in special or instruction.target is not None or kind in _ALONE
        if not (told or named or there is None):
            key = kind, arg, there
            if (found := code_of(kind, arg) if kind in STAYING else known.get(key)) is not None:
                written.append(found)
                positions.append(instruction.position)
                continue
        if instruction.name == "KW_NAMES":
            named = body.constants[instruction.arg]
            replaced = [Instruction("NOP", position=instruction.position)]
        else:
            # No path leads to some.
            replaced = [instruction] if there is None else writer.replaced(instruction, there, named)
            if instruction.name == "CALL":
                named = ()
        if instruction.name == "RESUME" and instruction.arg == 0:
            begun = True
            replaced = [*replaced, *(each for cell in cells for each in writer.cell(cell))]
            if code.co_flags & inspect.CO_VARKEYWORDS:
                replaced += writer.keywords(code)
        elif instruction.name == "MAKE_CELL" and begun:
            replaced = [*replaced, *writer.cell(instruction)]
        elif instruction.name == "MAKE_CELL":
            cells.append(instruction)
        if id(instruction) in order:
            before[id(instruction)], last[id(instruction)] = replaced[0], replaced[-1]
        if key is not None:
            known[key] = found = bytes_of(replaced)
            written.append(found)
            positions.append(instruction.position)
        else:
            jumps += [new for new in replaced if new.target is not None]
            written += replaced
            positions += [instruction.position] * len(replaced)
    for new in jumps:
        new.target = before.get(id(new.target), new.target)
    handlers = []
    for h in body.handlers:
        depth = _depth(h, nulls[order[id(h.first)] : order[id(h.last)] + 1])
        handlers.append(Handler(before[id(h.first)], last[id(h.last)], before[id(h.target)], depth, h.lasti))
    return put_together(code, written, positions, handlers, [*body.constants, _Rewritten(code)], _STACK)


def _depth(handler: Handler, within: Sequence[tuple[bool, ...] | None]) -> int:
    """Return how many values a handler leaves on the stack, of which some were NULL."""
    flags: tuple[bool, ...] = next((each for each in within if each is not None), ())
    return handler.depth - sum(flags[: handler.depth])
