"""What is kept on disk of native loops of eager ops: a later process neither traces nor lowers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")
from pullback.array import large
from pullback.compiler.eager_kernels import traced_kernels  # it needs llvmlite
from pullback.compiler.runtime import cache
from pullback.core.op import TABLE

X = np.random.default_rng(0).standard_normal((600, 500)).astype(np.float32)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not large.is_there():
        pytest.skip("native code is switched off")
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "kept"))


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


def test_functions_without_a_name_are_written_again() -> None:
    for factor in (2.0, 3.0):
        kernels = traced_kernels.TracedKernels()
        found = kernels.mapped(lambda g, x, factor=factor: g * x * factor, X, (X,), ())
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
