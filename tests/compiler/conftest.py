"""What tests of native code share."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import os
import pickle
import platform
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pullback.compiler.emit import codegen
from pullback.compiler.passes import pipeline
from pullback.compiler.program import verify
from pullback.compiler.program.program import Program
from pullback.compiler.runtime import cache, engine, processor, specialization
from pullback.compiler.runtime.executable import Executable
from pullback.compiler.runtime.thread_pool import pool

RESTRICTED = ("sse", "sse2", "fxsr", "cmov", "cx8", "x87", "mmx", "64bit")


@pytest.fixture
def plain_processor(monkeypatch):
    """A processor of x86 with nothing but what every 64-bit one has."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("not an x86 processor")
    llvm = pytest.importorskip("llvmlite.binding")
    from pullback.compiler.emit import functions

    features = llvm.get_host_cpu_features()
    fewer = type(features)({name: name in RESTRICTED for name in features})
    cached = (
        codegen.processor, codegen.target, processor.machine, engine.attributes, engine.machine_name,
        engine.register_bytes, engine.fused, functions.widths, cache._surroundings,
    )  # fmt: skip
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: fewer)
    monkeypatch.setattr(llvm, "get_host_cpu_name", lambda: "x86-64")
    monkeypatch.setattr(functions, "_addresses", {})
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def machine_code_is_made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A text is compiled once: of 9,763 texts 3,677 had been compiled before, in 56 of 324 s of LLVM's
    processor time. Workers of pytest-xdist, which divide a file's tests, read what another one has compiled.
    """
    # The folders of a run's workers lie in one folder of that run.
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder /= "machine-code"
    folder.mkdir(exist_ok=True)
    made: dict[str, codegen.Code] = {}
    compiled = codegen.compiled

    def once(text: str, effort: codegen.Effort) -> codegen.Code:
        # Tests choose the processor, and the limits.
        limits = codegen.LONG, codegen.BLOCK, codegen.ENDLESS
        about = repr((text, effort, codegen.processor(), limits))
        key = hashlib.sha256(about.encode()).hexdigest()
        if key not in made:
            made[key] = shared(folder / key, lambda: compiled(text, effort))
        return made[key]

    codegen.compiled = once
    yield
    codegen.compiled = compiled


def shared(file: Path, make: Callable[[], codegen.Code]) -> codegen.Code:
    """Return what a file holds; unless it is there make it, and put it there in one step."""
    try:
        return codegen.Code(*pickle.loads(file.read_bytes()))
    except FileNotFoundError:
        code = make()
    own = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    own.write_bytes(pickle.dumps(tuple(code)))
    own.replace(file)
    return code


@pytest.fixture
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile programs, not eager's kernels, without LLVM's passes and line by line, for tests of what a
    program is, not of its machine code; ``nox -s compiled`` compiles as users do.

    It takes LLVM a seventh of the time, which is a third of that of small programs and two thirds of models'.
    """
    if os.environ.get("PULLBACK_ALL_COMPILED"):
        return
    from pullback.compiler.emit.modules import Kernels

    begin = Kernels.__init__

    def hasty(kernels: Kernels, module: Any, compile: Any) -> None:
        begin(kernels, module, lambda text, effort: compile(text, codegen.HASTY))

    monkeypatch.setattr(Kernels, "__init__", hasty)


@pytest.fixture(autouse=True)
def every_program_is_well_formed(monkeypatch: Any) -> None:
    """Programs that a test compiles are verified, shapes and dtypes included, after each pass, and read back
    as they are.
    """
    monkeypatch.setattr(verify, "KINDS", True)

    def optimized(program: Program) -> Program:
        found = pipeline.optimized(program)
        for each in (program, found):
            assert Program.read(str(each)) == each
        return found

    monkeypatch.setattr(specialization, "optimized", optimized)


@pytest.fixture(autouse=True)
def memory_begins_as_nan(monkeypatch: Any) -> None:
    """Before each call of a program the memory that it has for itself, and that of its results, is filled
    with bytes that are NaN as a number and -1 as an index: what is read before it is written in that call
    shows.
    """
    load = Executable._load

    def loaded(executable: Any, *found: Any) -> None:
        load(executable, *found)
        count = 1 + len(executable.inputs) + len(executable.outputs)
        results = [(1 + len(executable.inputs) + n, b.bytes) for n, b in enumerate(executable.outputs)]

        def spoil(table: int) -> None:
            arena, *given = (ctypes.c_size_t * count).from_address(table)
            ctypes.memset(arena, 0xFF, executable._arena.nbytes)
            inputs = set(given[: len(executable.inputs)])
            for slot, size in results:
                # A result may be written over the input that it replaces.
                if given[slot - 1] not in inputs:
                    ctypes.memset(given[slot - 1], 0xFF, size)

        if executable.interleaved is not None:
            interleaved, goes = executable.interleaved, executable.interleaved.run
            interleaved.run = lambda table: (spoil(table), goes(table))[1]
        elif executable.entry:
            run = executable._run[0]
            # The short way calls native code by its address.
            executable._run[0] = _Native(lambda table: (spoil(table), run(table))[1])
            executable.entry = ctypes.cast(executable._run[0], ctypes.c_void_p).value

    monkeypatch.setattr(Executable, "_load", loaded)


_Native = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@functools.cache
def _either_way() -> Any:
    """Machine code that runs every second job as the pool does, and the others from the last part to the
    first.
    """
    text = f"""
@jobs = internal global i64 0
define void @either_way(ptr %function, ptr %context, i64 %parts) nounwind {{
entry:
  %job = atomicrmw add ptr @jobs, i64 1 monotonic
  %odd = trunc i64 %job to i1
  br i1 %odd, label %head, label %usual
usual:
  call void inttoptr (i64 {pool().address} to ptr)(ptr %function, ptr %context, i64 %parts)
  ret void
head:
  %left = phi i64 [ %parts, %entry ], [ %part, %run ]
  %part = sub i64 %left, 1
  %more = icmp sge i64 %part, 0
  br i1 %more, label %run, label %done
run:
  call void %function(ptr %context, i64 %part)
  br label %head
done:
  ret void
}}
"""
    return engine.Library(text, {})


@pytest.fixture(autouse=True)
def parts_run_in_any_order(monkeypatch: Any) -> None:
    """Half of the jobs of several parts run them backwards: a part that reads what a part before it is to
    write finds that it has not been written.
    """
    if importlib.util.find_spec("llvmlite") is not None:
        monkeypatch.setattr(pool(), "address", _either_way().address("either_way"))
