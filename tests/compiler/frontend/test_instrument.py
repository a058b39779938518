"""Rewritten code with hooks that do what the instructions do is the code."""

from __future__ import annotations

import dis
import importlib.util
import inspect
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from pullback.compiler.frontend.bytecode.hooks import Hooks
from pullback.compiler.frontend.bytecode.instructions import Body, Instruction, taken_apart
from pullback.compiler.frontend.bytecode.instrument import instrumented
from pullback.compiler.frontend.bytecode.null_slots import _NO_NEXT, _after, find_nulls
from pullback.compiler.frontend.bytecode.replacements import HARMLESS, Replacements
from pullback.core.blame import place_at

from . import functions
from .functions import FUNCTIONS, outcome
from .plain import plain_hooks, rewritten_within

pytestmark = pytest.mark.skipif(not (3, 11) <= sys.version_info < (3, 15), reason="another bytecode")

#: Instructions that refuse when they are executed: classes, ``async``, ``match``, ``except*``, templates.
UNKNOWN = frozenset({
    "ASYNC_GEN_WRAP", "BEFORE_ASYNC_WITH", "BUILD_INTERPOLATION", "BUILD_TEMPLATE", "CALL_INTRINSIC_1",
    "CALL_INTRINSIC_2", "CHECK_EG_MATCH", "DELETE_NAME", "END_ASYNC_FOR", "EXIT_INIT_CHECK", "GET_AITER",
    "GET_ANEXT", "GET_AWAITABLE", "IMPORT_STAR", "INTERPRETER_EXIT", "LOAD_BUILD_CLASS",
    "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_LOCALS", "LOAD_NAME",
    "LOAD_SPECIAL", "PREP_RERAISE_STAR",
    "PRINT_EXPR", "RESERVED", "SETUP_ANNOTATIONS", "STORE_NAME",
})  # fmt: skip
#: Known instructions that no function of the table has: of ``async``, or of what no compiler writes now.
UNSEEN = frozenset({"CLEANUP_THROW", "JUMP_BACKWARD_NO_INTERRUPT", "LOAD_CLOSURE"})


def _twin(f: Any, hooks: Hooks) -> Any:
    space = {**vars(functions)}
    return FunctionType(rewritten_within(f.__code__, hooks), space, f.__name__, f.__defaults__, f.__closure__)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_rewritten_function_is_the_function(function: Any) -> None:
    hooks, unknown = plain_hooks()
    twin = _twin(function, hooks)
    for _ in range(3):
        assert _comparable(outcome(twin)) == _comparable(outcome(function))
    assert not unknown


def _comparable(found: Any) -> Any:
    """Leave addresses and names of what is not bound out of errors."""
    if isinstance(found, tuple) and found and isinstance(found[0], type) and issubclass(found[0], Exception):
        return found[0] if issubclass(found[0], (NameError, ImportError, TypeError)) else found
    return found


def _real_opcodes() -> Iterator[str]:
    """Return the names of the instructions that a compiler writes."""
    for name, opcode in dis.opmap.items():
        if opcode > 255 or name.startswith(("INSTRUMENTED_", "ENTER_EXECUTOR", "<")):
            continue
        if name not in ("CACHE", "EXTENDED_ARG", "KW_NAMES"):
            yield name


def _replaced(name: str, hooks: Hooks) -> list[Instruction]:
    code = (lambda a, b: a).__code__
    value = "==" if name == "COMPARE_OP" else "a"
    arg = {"CONVERT_VALUE": 1, "CALL_INTRINSIC_1": 4, "RAISE_VARARGS": 1}.get(name, 0)
    nulls = [False] * 8
    instruction = Instruction(name, arg, value=value)
    return Replacements(code, Body([], [], []), hooks).replaced(instruction, nulls, ())


def _asks_unknown(name: str) -> bool:
    hooks, _ = plain_hooks()
    found = _replaced(name, hooks)
    # It is seen, and then done as it is.
    return found[-1].name == name and len(found) > 1 and found[-2].name == "POP_TOP" and (
        name not in HARMLESS and name != "PUSH_EXC_INFO"
    )


@pytest.mark.parametrize("name", sorted(_real_opcodes()))
def test_each_instruction_is_harmless_or_handled_or_refuses(name: str) -> None:
    assert (name in UNKNOWN) == _asks_unknown(name)
    assert not (name in UNKNOWN and name in HARMLESS)


def test_every_instruction_that_is_known_occurs() -> None:
    seen: set[str] = set()

    def note(code: CodeType) -> None:
        seen.update(i.name for i in taken_apart(code).instructions)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                note(constant)

    for function in FUNCTIONS:
        note(function.__code__)
    note(functions.Special.name.__code__)
    note(functions._noting.__wrapped__.__code__)  # type: ignore[attr-defined]  # the decorator sets it
    assert set(_real_opcodes()) - UNKNOWN - UNSEEN - seen == set()


def test_an_instruction_that_nobody_knows_refuses_when_it_is_executed() -> None:
    def f(define: bool) -> Any:
        if define:
            class Inside:
                pass
            return Inside.__name__
        return "nothing"

    hooks, _ = plain_hooks()
    class Refused(Exception):
        pass

    def refuse(name: str) -> None:
        raise Refused(name)

    hooks.unknown = refuse
    twin = FunctionType(instrumented(f.__code__, hooks), globals())
    assert twin(False) == "nothing"
    with pytest.raises(Refused, match="LOAD_BUILD_CLASS"):
        twin(True)


def test_the_interpreter_of_a_coroutine_is_asked_before_it_awaits() -> None:
    async def inner() -> int:
        return 5

    async def f() -> Any:
        async def several() -> Any:
            for k in range(3):
                yield k
        found = [x async for x in several()]
        try:
            found.append(await inner())
        finally:
            found.append("end")
        return found

    hooks, unknown = plain_hooks()
    twin = FunctionType(rewritten_within(f.__code__, hooks), globals(), "f", None, f.__closure__)
    with pytest.raises(StopIteration) as stopped:
        twin().send(None)
    assert stopped.value.value == [0, 1, 2, 5, "end"]
    assert {"GET_AWAITABLE", "GET_ANEXT"} <= set(unknown)


def test_a_function_of_many_constants_is_rewritten_in_time_linear_in_them() -> None:
    def seconds(count: int) -> float:
        space: dict[str, Any] = {}
        exec("def f(x):\n" + "".join(f"    x = x * {n}.5\n" for n in range(count)) + "    return x\n", space)
        hooks, _ = plain_hooks()
        start = time.process_time()
        twin = instrumented(space["f"].__code__, hooks)
        assert len(twin.co_consts) >= count
        return time.process_time() - start

    # 16 times where it is linear, 300 times where each constant was looked for among all others.
    assert seconds(16_000) < 80 * min(seconds(1_000) for _ in range(3))


def test_equal_functions_of_different_files_have_their_own_twins() -> None:
    made = []
    for file in ("one.py", "two.py"):
        space: dict[str, Any] = {}
        exec(compile("def f(): return 1", file, "exec"), space)
        made.append(space["f"].__code__)
    assert made[0] == made[1]
    hooks, _ = plain_hooks()
    assert [instrumented(code, hooks).co_filename for code in made] == ["one.py", "two.py"]


def test_lines_and_columns_are_those_of_the_source() -> None:
    hooks, _ = plain_hooks()
    for function in FUNCTIONS:
        code = function.__code__
        own, new = set(code.co_positions()), set(instrumented(code, hooks).co_positions())
        assert new <= own
        assert {p[0] for p in new} == {p[0] for p in own}


def test_a_hook_is_called_from_the_expression_that_it_stands_for() -> None:
    seen: list[str] = []

    def noting(hook: Any) -> Any:
        def note(*args: Any) -> Any:
            frame = sys._getframe(1)
            place = place_at(frame.f_code, frame.f_lasti)
            assert place is not None
            seen.append(f"{place.line - first}: {place.expression}")
            return hook(*args)

        return note

    def f(a: int, b: Any) -> Any:
        c = a * b[0] + (
            abs(-a) - 1
        )
        return [n * 2 for n in range(c) if n > 1]

    first = f.__code__.co_firstlineno
    hooks, _ = plain_hooks()
    hooks.binary = {sign: noting(hook) for sign, hook in hooks.binary.items()}
    hooks.compare = {sign: noting(hook) for sign, hook in hooks.compare.items()}
    hooks.unary = {sign: noting(hook) for sign, hook in hooks.unary.items()}
    hooks.call, hooks.load_item = noting(hooks.call), noting(hooks.load_item)
    twin = FunctionType(rewritten_within(f.__code__, hooks), globals())
    assert twin(2, [1]) == f(2, [1]) == [4]
    assert list(dict.fromkeys(seen)) == [
        "1: b[0]", "1: a * b[0]", "2: -a", "2: abs(-a)", "2: abs(-a) - 1",
        "1: a * b[0] + ( abs(-a) - 1 )", "4: range(c)", *_COMPREHENSION, "4: n > 1", "4: n * 2",
    ]  # fmt: skip


#: Before 3.12 a comprehension is a function, which is called.
_COMPREHENSION = ["4: [n * 2 for n in range(c) if n > 1]"] if sys.version_info < (3, 12) else []


def test_the_stack_is_large_enough_and_nulls_are_the_same_on_all_paths() -> None:
    hooks, _ = plain_hooks()
    for function in FUNCTIONS:
        for code in _codes(function.__code__):
            body = taken_apart(code)
            nulls = find_nulls(body)
            place = {id(i): n for n, i in enumerate(body.instructions)}
            for n, (i, flags) in enumerate(zip(body.instructions, nulls, strict=True)):
                if flags is None:
                    continue
                if i.target is not None:
                    assert nulls[place[id(i.target)]] == _after(i, flags, True)
                if i.name not in _NO_NEXT:
                    assert nulls[n + 1] == _after(i, flags, False)
            new = instrumented(code, hooks)
            found = find_nulls(taken_apart(new))
            assert max(len(flags) for flags in found if flags is not None) <= new.co_stacksize


def _codes(code: CodeType) -> Iterator[CodeType]:
    if code.co_flags & inspect.CO_OPTIMIZED:
        yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


# --- Python's own tests -------------------------------------------------------------------------------------

MODULES = tuple(f"test.test_{name}" for name in (
    "generators", "with", "grammar", "scope", "unpack_ex", "listcomps", "super", "contextlib", "fstring",
    "keywordonlyarg", "raise", "named_expressions", "augassign", "yield_from", "unpack",
    "positional_only_arg", "generator_stop", "except_star",
))  # fmt: skip
#: They look at frames or instructions, which are others.
EXPECTED = frozenset({
    "test_send_with_yield_from", "test_throw_with_yield_from", "test_attrs", "test_annotations_constant_fold",
    "test_obscure_super_errors", "test_frame_locals",
})  # fmt: skip


def test_what_stands_for_like_instructions_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    replaced = Replacements.replaced
    monkeypatch.setattr(
        Replacements, "replaced", lambda self, i, *rest: asked.append(i.name) or replaced(self, i, *rest)
    )
    scope: dict[str, Any] = {}
    exec("def f(x, y):\n" + "    x = abs(x * y)\n" * 100 + "    return x", scope)
    code = instrumented(scope["f"].__code__, plain_hooks()[0])
    assert len(asked) < 25
    assert FunctionType(code, scope["f"].__globals__)(-2, 1) == scope["f"](-2, 1) == 2


def _failing(*names: str) -> list[str]:
    command = [sys.executable, "-m", "tests.compiler.frontend.plain", *names]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    ran, count, *_ = lines[-1].split()
    assert ran == "ran" and int(count) > 50 * len(names) // 2
    return [line.split()[1] for line in lines if line.startswith("failed ")]


def test_python_passes_its_own_tests() -> None:
    there = [name for name in MODULES if importlib.util.find_spec(name) is not None]
    if not there:
        pytest.skip("Python's own tests are not here")
    failed = [name for name in _failing(*there) if name.rpartition(".")[2] not in EXPECTED]
    if failed:
        broken = set(_failing("--as-it-is", *{name.rsplit(".", 2)[0] for name in failed}))
        failed = [name for name in failed if name not in broken]
    assert failed == []
