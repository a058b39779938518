"""Find which places of the stack hold the NULL that CPython puts there for a call.

Rewritten code has no such places: what it calls, it calls through a hook.
"""

import dis
import sys

from .instructions import Body, Handler, Instruction, numbers

#: Whether the NULL of a call lies above the function.
NEW_CALLS = sys.version_info >= (3, 13)
_METHOD_BIT = sys.version_info >= (3, 12)
_NO_NEXT = frozenset({
    "RETURN_VALUE", "RETURN_CONST", "RERAISE", "RAISE_VARARGS", "JUMP_FORWARD", "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT",
})  # fmt: skip
_LOADS = frozenset({"LOAD_CONST", "LOAD_FAST"})
_CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})


def find_nulls(body: Body) -> list[tuple[bool, ...] | None]:
    """Return for each instruction which places of the stack hold NULL; None where no path leads there."""
    instructions = body.instructions
    found: list[tuple[bool, ...] | None] = [None] * len(instructions)
    handled: dict[int, list[Handler]] = {}
    order = numbers(instructions, body.handlers)
    for h in body.handlers:
        for n in range(order[id(h.first)], order[id(h.last)] + 1):
            handled.setdefault(n, []).append(h)
    known: dict[tuple[str, int, tuple[bool, ...]], tuple[bool, ...]] = {}
    waiting: list[tuple[int, tuple[bool, ...]]] = [(0, ())]
    while waiting:
        n, flags = waiting.pop()
        while n < len(instructions) and found[n] is None:
            found[n] = flags
            instruction = instructions[n]
            for h in handled.get(n, ()):
                waiting.append((order[id(h.target)], (*flags[: h.depth], *[False] * (1 + h.lasti))))
            # The end of an `async for` only tells where its loop is (CPython 3.14).
            if instruction.target is not None and instruction.name != "END_ASYNC_FOR":
                waiting.append((order[id(instruction.target)], _after(instruction, flags, True)))
            if instruction.name in _NO_NEXT:
                break
            # Most of what a function has: one more value, or one less.
            if (name := instruction.name) in _LOADS:
                flags = (*flags, False)
            elif name == "STORE_FAST":
                flags = flags[:-1]
            else:
                key = name, instruction.arg, flags
                if (after := known.get(key)) is None:
                    after = known[key] = _after(instruction, flags, False)
                flags = after
            n += 1
    return found


def _pushes_null(i: Instruction) -> bool:
    if i.name in ("LOAD_GLOBAL", "LOAD_SUPER_ATTR") or (i.name == "LOAD_ATTR" and _METHOD_BIT):
        return bool(i.arg & 1)
    return i.name == "LOAD_METHOD"


def _after(i: Instruction, before: tuple[bool, ...], jump: bool) -> tuple[bool, ...]:
    """Return the marks after an instruction."""
    flags = list(before)
    if i.name == "PUSH_NULL":
        return (*before, True)
    if i.name == "RETURN_GENERATOR":
        return (*before, False)
    if i.name == "LOAD_SPECIAL":
        return (*before[:-1], False, True)
    if i.name in ("PRECALL", "KW_NAMES"):
        return before
    if i.name == "SWAP":
        flags[-i.arg], flags[-1] = flags[-1], flags[-i.arg]
        return tuple(flags)
    if i.name == "COPY":
        return (*before, before[-i.arg])
    if _pushes_null(i):
        popped = {"LOAD_GLOBAL": 0, "LOAD_SUPER_ATTR": 3}.get(i.name, 1)
        left = before[: len(before) - popped]
        return (*left, False, True) if NEW_CALLS else (*left, True, False)
    opcode = dis.opmap[i.name]
    change = dis.stack_effect(opcode, i.arg if opcode >= dis.HAVE_ARGUMENT else None, jump=jump)
    if i.name == "CALL":
        # What a call takes are its function and arguments, and the NULL or the object of a method.
        change = -(i.arg + 1)
    if change < 0:
        flags = flags[: len(flags) + change]
        if flags:
            flags[-1] = flags[-1] and i.name not in _CALLS
        return tuple(flags)
    if i.name in _CALLS and flags:
        flags[-1] = False
    return tuple(flags + [False] * change)
