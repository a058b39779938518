"""What tests of native code share."""

from __future__ import annotations

import platform
from typing import Any

import pytest

from pullback.compiler import cache, compiled, passes, verify
from pullback.compiler.program import Program

RESTRICTED = ("sse", "sse2", "fxsr", "cmov", "cx8", "x87", "mmx", "64bit")


@pytest.fixture
def plain_processor(monkeypatch):
    """A processor of x86 with nothing but what every 64-bit one has."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("not an x86 processor")
    llvm = pytest.importorskip("llvmlite.binding")
    from pullback.compiler.llvm import codegen, engine, functions

    features = llvm.get_host_cpu_features()
    fewer = type(features)({name: name in RESTRICTED for name in features})
    cached = (
        codegen.processor, codegen.target, engine.attributes, engine.machine_name, engine.register_bytes,
        engine.fused, functions._widths, cache._surroundings,
    )  # fmt: skip
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: fewer)
    monkeypatch.setattr(llvm, "get_host_cpu_name", lambda: "x86-64")
    monkeypatch.setattr(functions, "_addresses", {})
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.fixture(autouse=True)
def every_program_is_well_formed(monkeypatch: Any) -> None:
    """Programs that a test compiles are verified, shapes and dtypes included, after each pass, and read back
    as they are.
    """
    monkeypatch.setattr(verify, "KINDS", True)

    def optimized(program: Program) -> Program:
        found = passes.optimized(program)
        for each in (program, found):
            assert Program.read(str(each)) == each
        return found

    monkeypatch.setattr(compiled, "optimized", optimized)
