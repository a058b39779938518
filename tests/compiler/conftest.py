"""What tests of native code share."""

from __future__ import annotations

import platform

import pytest

RESTRICTED = ("sse", "sse2", "fxsr", "cmov", "cx8", "x87", "mmx", "64bit")


@pytest.fixture
def plain_processor(monkeypatch):
    """A processor of x86 with nothing but what every 64-bit one has."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("not an x86 processor")
    llvm = pytest.importorskip("llvmlite.binding")
    from pullback.compiler.llvm import engine, functions

    features = llvm.get_host_cpu_features()
    fewer = type(features)({name: name in RESTRICTED for name in features})
    cached = (engine.attributes, engine.register_bytes, engine.fused, engine.target, functions._widths)
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: fewer)
    monkeypatch.setattr(llvm, "get_host_cpu_name", lambda: "x86-64")
    monkeypatch.setattr(functions, "_addresses", {})
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()
