"""What is kept on disk of native loops of eager ops: a later process neither traces nor lowers."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest

pytest.importorskip("llvmlite")
from pullback.array import large
from pullback.compiler.eager_kernels import traced_kernels  # it needs llvmlite
from pullback.compiler.emit import convolution
from pullback.compiler.emit.convolution import kernels, nonfinite, pooling
from pullback.compiler.runtime import cache, machine_code, shared_kernels
from pullback.core.op import TABLE

X = np.random.default_rng(0).standard_normal((600, 500)).astype(np.float32)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not large.is_there():
        pytest.skip("native code is switched off")
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "kept"))


#: What keeps kernels in memory.
MADE: Any = (kernels.correlation, kernels.weight, pooling.maxima, pooling.spread, nonfinite._library)


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a kernel is written anew."""
    from pullback.compiler.eager_kernels import traced_writing

    def write(*given: Any) -> None:
        raise AssertionError("written again")

    for name in ("flat_kernel", "row_kernel", "flat_rule"):
        monkeypatch.setattr(traced_writing, name, write)


def weighed(g: Any, x: Any) -> Any:
    from pullback.ops.elementwise import exp

    return g * exp(x)


ASKED = {
    "elementwise": lambda kernels: kernels.elementwise("tanh", (X,), ()),
    "numbers": lambda kernels: kernels.elementwise("leaky_relu", (X,), (0.25,)),
    "mapped": lambda kernels: kernels.mapped(weighed, X, (X,), ()),
    "rows": lambda kernels: kernels.rows("softmax", (X,), (-1,), (True,)),
    "pull": lambda kernels: kernels.pull(TABLE["tanh"], X, (X, None, None), (True,)),
    "gathered": lambda kernels: kernels.rows("sums_and_products", (X, X), (), (True, True)),
    "none": lambda kernels: kernels.elementwise("tanh", (X.astype(np.complex64),), ()),
}


def arrays(found: Any) -> list[Any]:
    return [None] if found is None else [*found] if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", ASKED)
def test_a_later_process_writes_no_kernel_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = arrays(ASKED[name](traced_kernels.TracedKernels()))
    forbid(monkeypatch)
    later = arrays(ASKED[name](traced_kernels.TracedKernels()))
    assert (first[0] is None) == (name == "none")
    assert len(first) == len(later)
    for x, y in zip(first, later, strict=True):
        assert (x is None) == (y is None)
        if x is not None:
            assert x.dtype == y.dtype
            np.testing.assert_array_equal(x, y)


def test_a_later_process_writes_no_convolution_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> list[Any]:
        """Do what a process does that has no kernel yet."""
        monkeypatch.setattr(machine_code, "_loaded", WeakValueDictionary())
        for made in MADE:
            made.cache_clear()
        images, padding = X[:128, :128].reshape(4, 4, 32, 32), (1, 1)
        w, bias = X[200, : 6 * 36].reshape(6, 4, 3, 3).copy(), X[201, :6].copy()
        shapes = images.shape, w.shape, (4, 6, 32, 32)
        y, back, weight = (np.empty(shape, np.float32) for shape in (shapes[2], *shapes[:2]))
        given = convolution.Convolution(kernels.shape_of(*shapes, X.dtype, (1, 1), padding, (1, 1), 1))
        given.forward(images, w, bias, y)
        given.transpose(y, w, back)
        given.weight(images, y, weight)
        values, winners = np.empty((4, 4, 16, 16), np.float32), np.empty((4, 4, 16, 16), np.uint8)
        pools = convolution.Pools.of((32, 32), (16, 16), X.dtype, (2, 2), (2, 2), (0, 0), (1, 1))
        pools.maxima(images, values, winners)
        pools.spread(values, winners, spread := np.empty_like(images))
        return [y, back, weight, values, winners, spread]

    first = run()

    def module(*given: Any) -> None:
        raise AssertionError("written again")

    monkeypatch.setattr(shared_kernels, "module", module)
    try:
        later = run()
    finally:
        for made in MADE:
            made.cache_clear()
    for x, y in zip(first, later, strict=True):
        np.testing.assert_array_equal(x, y)


def test_lambdas_are_found_again_by_what_they_do() -> None:
    def holding(factor: float) -> Any:
        return lambda g, x: g * x * factor

    def entry(function: Any) -> str | None:
        return traced_kernels._entry_of((function, X.dtype))

    functions: list[Any] = [
        lambda g, x: g * x, lambda g, x: g + x, lambda g, x: g.x, lambda g, x: g.y, lambda g, x: g * 2,
        lambda g, x: g * 3, lambda g, x=2: g * x, lambda g, x=3: g * x, lambda x, g: g * x,
    ]  # fmt: skip
    entries = {entry(function) for function in functions}
    assert None not in entries
    assert len(entries) == len(functions)
    assert entry(lambda g, x: g * x) == entry(functions[0])
    assert entry(holding(2.0)) is None
    assert entry(lambda g: lambda: g) is None


def test_functions_without_a_name_are_written_again() -> None:
    for factor in (2.0, 3.0):
        loops = traced_kernels.TracedKernels()
        found = loops.mapped(lambda g, x, factor=factor: g * x * factor, X, (X,), ())
        np.testing.assert_allclose(found, X * X * factor, rtol=1e-6)


@pytest.mark.parametrize("told", [[["gone", 1, 1.0, [], [], []], [0]], [[], []], {"plan": 1}, [1], 7])
def test_what_is_kept_wrongly_is_made_anew(told: Any) -> None:
    entry = traced_kernels._entry_of(("tanh", "()", X.dtype))
    assert entry is not None
    cache.write(entry, told, b"")
    found = traced_kernels.TracedKernels().elementwise("tanh", (X,), ())
    np.testing.assert_allclose(found, np.tanh(X), rtol=1e-5, atol=1e-6)
    kept = cache.read(entry)
    assert kept is not None
    assert kept[0] != told
