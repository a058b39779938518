"""Processes that compile: what they make is what this process would make, and nothing depends on them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.array import tiering
from pullback.compiler.emit import codegen, python_functions
from pullback.compiler.emit.codegen import HASTY, LOOPS, WRITTEN
from pullback.compiler.emit.restricted_python import Int, Object, Program, native, python
from pullback.compiler.runtime import engine, helper_processes
from pullback.compiler.runtime.executable import Executable
from pullback.compiler.runtime.helper_processes import submitted, summon
from pullback.compiler.runtime.object_layout import layout

TEXT = engine.whole(
    ["define double @twice(double %x) #0 {", "  %y = fadd double %x, %x", "  ret double %y", "}"]
)


@pytest.fixture(autouse=True)
def two_processes(monkeypatch: Any) -> None:
    monkeypatch.setenv("PULLBACK_COMPILE_PROCESSES", "2")
    monkeypatch.setenv("PULLBACK_CACHE", "0")


@contextmanager
def at_work() -> Iterator[None]:
    with helper_processes.at_work():
        summon(2)
        yield


def leaders() -> list[threading.Thread]:
    return [] if helper_processes._current is None else helper_processes._current._threads


def test_a_helper_makes_the_code_that_this_process_makes(monkeypatch):
    expected = [codegen.compiled(TEXT, effort) for effort in (WRITTEN, LOOPS, HASTY)]
    with monkeypatch.context() as patch, at_work():
        patch.setattr(codegen, "compiled", None)
        results = [submitted(TEXT, effort) for effort in (WRITTEN, LOOPS, HASTY)]
        assert [result() for result in results] == expected


def test_they_come_when_they_are_called():
    summon(2)
    with helper_processes.at_work():
        assert not leaders()
        summon(1)
        summon(1)
        assert len(leaders()) == 1
        summon(5)
        assert len(leaders()) == 2


def test_a_helper_tells_of_the_processor(monkeypatch):
    expected = codegen.surroundings()
    monkeypatch.setattr(codegen, "surroundings", None)
    monkeypatch.delitem(sys.modules, "llvmlite.binding")
    with at_work():
        assert tuple(helper_processes.surroundings()) == expected


def test_where_llvm_must_be_loaded_what_needs_it_begins_after_the_trace(monkeypatch):
    begun = []
    monkeypatch.setattr(helper_processes.processor, "is_known", lambda: False)
    with helper_processes.at_work():
        helper_processes.begin_told(lambda: begun.append(1))
        assert not begun
        assert len(leaders()) == 1
        helper_processes.expect(0)
        assert begun == [1]
        monkeypatch.undo()
        helper_processes.begin_told(lambda: begun.append(2))
        assert begun == [1, 2]


def test_helpers_go_when_the_last_block_ends():
    with at_work():
        threads = leaders()
        assert len(threads) == 2
        with at_work():
            assert leaders() is threads
        result = submitted(TEXT, WRITTEN)
    assert not leaders()
    # What was submitted is still done.
    assert result() == codegen.compiled(TEXT, WRITTEN)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize("program", ["import sys", "import sys; sys.stdin.buffer.read(1)", "not Python"])
def test_what_helpers_leave_is_compiled_here(program, tmp_path, monkeypatch):
    broken = tmp_path / "broken.py"
    broken.write_text(program)
    with monkeypatch.context() as patch:
        patch.setattr(codegen, "__file__", str(broken))
        with at_work():
            results = [submitted(TEXT, WRITTEN) for _ in range(5)]
            assert all(result() == codegen.compiled(TEXT, WRITTEN) for result in results)


def test_a_python_that_does_not_start(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    with at_work():
        assert submitted(TEXT, WRITTEN)() == codegen.compiled(TEXT, WRITTEN)


def test_the_error_of_a_wrong_text_is_llvms():
    with at_work():
        result = submitted("define double @f() { ret float 1.0 }", WRITTEN)
        with pytest.raises(RuntimeError, match="parsing error"):
            result()
        assert submitted(TEXT, WRITTEN)() == codegen.compiled(TEXT, WRITTEN)


@pytest.mark.parametrize("count", ["0", "", "-1", "many"])
def test_there_may_be_none(count, monkeypatch):
    monkeypatch.setenv("PULLBACK_COMPILE_PROCESSES", count)
    with at_work():
        assert not leaders()
        assert submitted(TEXT, WRITTEN)() == codegen.compiled(TEXT, WRITTEN)


@pytest.mark.parametrize("executable", ["", "/usr/sbin/server", None])
def test_what_embeds_python_is_not_started_again(executable, monkeypatch):
    monkeypatch.delenv("PULLBACK_COMPILE_PROCESSES")
    monkeypatch.setattr(sys, "executable", executable)
    with at_work():
        assert not leaders()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_no_helpers():
    with at_work():
        child = os.fork()
        if not child:
            # A thread of the parent's may have held LLVM's lock.
            os._exit(0 if helper_processes._current is None and not helper_processes._lock.locked() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert leaders()


def many_kernels(x: Any, w: Any) -> Any:
    """Kernels between products of three sizes, and a loop."""
    for _ in range(8):
        x = torch.tanh(x @ w) + x.softmax(0).cummax(1)[0]
        x = torch.cat([x, (x * 2 + 1).relu().sum(0, keepdim=True)])[: x.shape[0]]
    return torch.func.scan(lambda c, row: (c + row.sin(), c.sum()), x[0], x)[1]


def test_a_program_of_many_kernels_is_the_same_whoever_compiles_it(monkeypatch):
    torch.manual_seed(0)
    x, w = (torch.randn(n, 6, dtype=torch.float64, requires_grad=True) for n in (5, 6))

    def step(x: Any, w: Any) -> Any:
        out = many_kernels(x, w)
        return out, *torch.autograd.grad(out.square().sum(), (x, w))

    found = []
    for count in ("2", "0"):
        monkeypatch.setenv("PULLBACK_COMPILE_PROCESSES", count)
        compiled = torch.compile(step, backend="native", fullgraph=True)
        found.append([r.tolist() for r in compiled(x, w)])
        forward: Executable = compiled._native.specializations[0].forward
        assert forward._kernels.apart and len(forward._library.code.objects) > 1
    assert found[0] == found[1]
    for got, expected in zip(compiled(x, w), step(x, w), strict=True):
        torch.testing.assert_close(got, expected)


@pytest.fixture
def apart(monkeypatch: Any) -> Iterator[None]:
    """Let eager calls have a process of their own at once."""
    for name, value in (("compiles_apart", True), ("pays_apart", True)):
        monkeypatch.setattr(tiering.account, name, value)
    monkeypatch.setattr(helper_processes, "_apart", None)
    monkeypatch.setattr(helper_processes, "_asked", {})
    monkeypatch.setattr(helper_processes, "LINGERS", 0.0)
    yield
    made = helper_processes._apart
    if made is not None:
        made.dismiss()  # the thread of a process that did not start waits for what to refuse
        for thread in made._threads:
            thread.join(60)
            assert not thread.is_alive()


def wanted(kind: tiering.Hotness, text: str = TEXT) -> Any:
    """Return what a kind of work gets when all that was asked for has come."""
    found = kind.get(lambda: engine.started(text, WRITTEN)())
    for made in helper_processes._asked.values():
        with suppress(EOFError, OSError):
            made.get()
    return found


def test_nobody_waits_for_what_another_process_compiles(apart, monkeypatch, tmp_path):
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "cache"))
    kind = tiering.Hotness()
    expected = codegen.compiled(TEXT, WRITTEN)
    assert wanted(kind) is None
    assert not helper_processes._asked or kind.is_hot(0)
    assert wanted(kind) == expected
    # The other process has kept it, for those that ask when this one has ended.
    monkeypatch.setattr(helper_processes, "made_apart", None)
    assert wanted(tiering.Hotness()) == expected


@native
def given_first(owner: Object, arguments: Object, count: Int) -> Object:
    found: Object = arguments[0]
    python.Py_IncRef(found)
    return found


def test_functions_go_over_to_better_code(apart, monkeypatch, tmp_path):
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(helper_processes, "_better", {})
    where = layout()
    assert where is not None
    program, moved, arrived = Program([given_first], where.fields), dict[int, int](), threading.Event()

    def note(addresses: dict[int, int]) -> None:
        python_functions.redirect(addresses)
        moved.update(addresses)
        arrived.set()

    def made() -> engine.Library:
        return engine.library(program, first=WRITTEN, moved=note)

    kind = tiering.Hotness()
    assert kind.get(made) is None
    (waited,) = helper_processes._asked.values()
    waited.get()
    library: Any = kind.get(made)
    address = library._left[0].address("given_first") if moved else library.address("given_first")
    first = python_functions.function("given_first", address, None)
    assert first(made) is made
    assert arrived.wait(60)
    assert [*moved] == [address] != [library.address("given_first")] == [*moved.values()]
    assert first(made) is made
    # A function that was made of the first code by then calls the other.
    second = python_functions.function("given_first", address, None)
    assert second(made) is made
    # The better code alone is kept.
    monkeypatch.setattr(helper_processes, "made_apart", None)
    engine.library(program, first=WRITTEN, moved=note)


def test_better_code_does_not_wait_for_other_code():
    # The thread that brings better code of one library may have code of another to bring next.
    code = codegen.compiled(TEXT, WRITTEN)
    waits, improved, came = threading.Event(), threading.Event(), []

    def source():
        waits.set()
        came.append(improved.wait(20))
        return code

    thread = threading.Thread(target=engine.Library(source, {}).address, args=("twice",))
    thread.start()
    waits.wait(60)
    assert len(engine.Library(code, {}).improve(code, ["twice"])) == 1
    improved.set()
    thread.join(60)
    assert came == [True]


def test_where_no_other_process_compiles_this_one_does(apart, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    monkeypatch.setattr(tiering, "LOOP", 100.0)
    kind = tiering.Hotness()
    assert wanted(kind) is None
    assert wanted(kind) is None
    assert not tiering.account.compiles_apart
    assert [kind.is_hot(60) for _ in range(2)] == [False, True]
    assert wanted(kind) == codegen.compiled(TEXT, WRITTEN)


def test_a_small_program_starts_no_process(apart, monkeypatch):
    monkeypatch.setattr(tiering.account, "pays_apart", False)
    assert wanted(tiering.Hotness()) is None
    assert helper_processes._apart is None


def test_what_eager_wants_is_not_compiled_beside_a_program(apart):
    kind = tiering.Hotness()
    assert kind.is_hot(1e9)
    with at_work():
        assert wanted(kind) is None
        assert helper_processes._apart is None
    assert kind.is_hot(0)
    assert wanted(kind) is None
    assert helper_processes._apart is not None


def test_what_is_not_there_is_counted_until_another_process_pays(apart, monkeypatch):
    monkeypatch.setattr(tiering.account, "pays_apart", False)
    monkeypatch.setattr(tiering.account, "spent", 0.0)
    kind = tiering.Hotness()
    assert wanted(kind) is None
    for _ in range(200):
        kind.is_hot_sampled(lambda: tiering.APART / 100)
    assert tiering.account.pays_apart


@pytest.mark.parametrize(
    "call", ["torch.sin(torch.ones(300_000))", "torch.compile(lambda x: x.sin() + 1)(torch.ones(3))"]
)
def test_a_process_does_not_load_the_compiler(call, monkeypatch, tmp_path):
    # For large arrays, whose native kernels are waited for, and for a program where the processor is known.
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "cache"))
    for source in ("torch.tanh(torch.ones(300_000))", call):
        text = f"import sys, pullback as torch\n{source}\nprint('llvmlite.binding' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"
