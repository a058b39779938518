"""Code objects are taken apart and put together again."""

from __future__ import annotations

import dis
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import pytest

from pullback.compiler.frontend.bytecode.instructions import Body, Instruction, put_together, taken_apart

from .functions import FUNCTIONS, outcome


def _assembled(code: CodeType, body: Body, stack: int) -> CodeType:
    positions = [i.position for i in body.instructions]
    return put_together(code, body.instructions, positions, body.handlers, body.constants, stack)


pytestmark = pytest.mark.skipif(not (3, 11) <= sys.version_info < (3, 15), reason="another bytecode")

MODULES = (
    "argparse", "ast", "asyncio.tasks", "collections", "contextlib", "_pydecimal", "difflib", "enum",
    "inspect", "random", "tarfile", "traceback", "typing",
)  # fmt: skip


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_codes(constant)


@pytest.mark.parametrize("module", MODULES)
def test_what_is_taken_apart_and_put_together_is_the_same(module: str) -> None:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    top = spec.loader.get_code(module)  # type: ignore[union-attr]  # modules of Python have it
    for code in _all_codes(top):
        again = _assembled(code, taken_apart(code), 0)
        assert again.co_code == code.co_code
        assert again.co_exceptiontable == code.co_exceptiontable
        assert list(again.co_positions()) == list(code.co_positions())
        assert list(again.co_lines()) == list(code.co_lines())
        assert again.co_stacksize == code.co_stacksize


#: What must stand next to what is before it: an iteration ends behind both, `throw` looks for `RESUME`.
_BOUND = ("END_FOR", "POP_ITER", "RESUME", "CALL", "PRECALL", "POP_TOP")
#: Before the first of these that begins the function nothing may run.
_START = "RESUME"


def _with_more(code: CodeType, count: int) -> CodeType:
    """Put instructions that come to nothing before all others, a first block of many."""
    body = taken_apart(code)
    number = len(body.constants)
    body.constants.append(None)
    before: dict[int, Instruction] = {}
    written: list[Instruction] = []
    has_begun = False
    for instruction in body.instructions:
        before[id(instruction)] = instruction
        if has_begun and instruction.name not in _BOUND:
            more = [
                Instruction(*what, position=instruction.position)
                for what in (("NOP", 0), ("LOAD_CONST", number), ("POP_TOP", 0))
                for _ in range(count if what[0] == "NOP" else 1)
            ]
            before[id(instruction)] = more[0]
            written += more
        written.append(instruction)
        has_begun = has_begun or instruction.name == _START
    for instruction in body.instructions:
        if instruction.target is not None:
            instruction.target = before[id(instruction.target)]
    for handler in body.handlers:
        handler.target = before[id(handler.target)]
    return _assembled(code, Body(written, body.handlers, body.constants), 1)


def _within(code: CodeType, count: int) -> CodeType:
    constants = (_within(c, count) if isinstance(c, CodeType) else c for c in code.co_consts)
    code = code.replace(co_consts=tuple(constants))
    return _with_more(code, count) if code.co_flags & inspect.CO_OPTIMIZED else code


@pytest.mark.parametrize("count", [1, 150])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_instructions_between_others_change_nothing(function: Any, count: int) -> None:
    count = min(count, 20) if function.__name__ == "many" else count
    more = FunctionType(_within(function.__code__, count), function.__globals__)
    assert outcome(more) == outcome(function)


def test_a_function_that_has_run_is_taken_apart_as_it_was() -> None:
    def f(a: int) -> int:
        total = 0
        for k in range(a):
            total += k if k % 2 else -k
        return total

    before = _assembled(f.__code__, taken_apart(f.__code__), 0).co_code
    for _ in range(500):
        f(30)
    assert _assembled(f.__code__, taken_apart(f.__code__), 0).co_code == before


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="needs sys.monitoring (3.12)")
def test_a_function_that_is_monitored_is_taken_apart_as_it_was() -> None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]  # of 3.12

    def f(a: int) -> int:
        return sum(k for k in range(a) if k) + len([a])

    before = _assembled(f.__code__, taken_apart(f.__code__), 0).co_code
    tool, events = 4, monitoring.events
    monitoring.use_tool_id(tool, "pullback's tests")
    try:
        for event in (events.LINE, events.INSTRUCTION, events.CALL, events.PY_RETURN):
            monitoring.register_callback(tool, event, lambda *_: None)
        monitoring.set_local_events(
            tool, f.__code__, events.LINE | events.INSTRUCTION | events.CALL | events.PY_RETURN
        )
        assert f(4) == 7
        assert _assembled(f.__code__, taken_apart(f.__code__), 0).co_code == before
    finally:
        monitoring.free_tool_id(tool)


def test_jumps_over_much_have_extended_arguments() -> None:
    function = next(f for f in FUNCTIONS if f.__name__ == "many")
    code = _with_more(function.__code__, 15)
    jumps = [i for i in dis.get_instructions(code) if i.opcode in dis.hasjrel]
    assert max(i.arg or 0 for i in jumps) >= 1 << 16
    assert FunctionType(code, {})() == function()
