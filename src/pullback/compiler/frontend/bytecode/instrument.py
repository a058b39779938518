"""Rewrite a function's bytecode so that each operation on an object is a call of a function that sees it.

An instruction is harmless (it moves values between the stack and locals, or jumps), or it becomes a call of
one of the `Hooks`, or, when it is executed, it makes the trace refuse. Python itself does all else: control
flow, exceptions, generators, closures. Frames are real ones, with the user's file and lines.
"""

import functools
import inspect
from types import CodeType

from .hooks import Hooks
from .instructions import Body, Handler, Instruction, numbers, put_together, taken_apart
from .null_slots import find_nulls
from .replacements import Replacements

#: Places of the stack that calls of hooks need at most.
_STACK = 6


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
    before: dict[int, Instruction] = {}
    last: dict[int, Instruction] = {}
    written: list[Instruction] = []
    # Cells are made before the function begins, which only then can call something.
    cells: list[Instruction] = []
    begun = False
    for instruction, there in zip(body.instructions, nulls, strict=True):
        if instruction.name == "KW_NAMES":
            named = body.constants[instruction.arg]
            replaced = [Instruction("NOP", position=instruction.position)]
        else:
            if there is None:
                # No path leads there.
                replaced = [instruction]
            else:
                replaced = writer.replaced(instruction, there, named)
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
        for new in replaced:
            new.position = instruction.position
        written += replaced
    for new in written:
        if new.target is not None:
            new.target = before.get(id(new.target), new.target)
    handlers = []
    for h in body.handlers:
        within = nulls[order[id(h.first)] : order[id(h.last)] + 1]
        flags: list[bool] = next((each for each in within if each is not None), [])
        depth = h.depth - sum(flags[: h.depth])
        handlers.append(Handler(before[id(h.first)], last[id(h.last)], before[id(h.target)], depth, h.lasti))
    return put_together(code, Body(written, handlers, [*body.constants, _Rewritten(code)]), _STACK)
