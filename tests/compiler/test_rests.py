"""Remainders and whole quotients of floating numbers by native loops, which have NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large

pytest.importorskip("llvmlite")

NAMES = ("fmod", "remainder", "floor_divide")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 7.0, 1e-40, 1e30, -1e30, np.inf, -np.inf, np.nan)


@pytest.fixture(autouse=True)
def native():
    if not large.is_there():
        pytest.skip("native code is switched off")


def operands(dtype: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return drawn numbers, whole ones and each special one with each other one."""
    rng = np.random.default_rng(0)
    pairs = np.array([(a, b) for a in SPECIAL for b in SPECIAL]).T
    drawn, whole = rng.standard_normal((2, large.WORTH_SLOW)) * 9, rng.integers(-20, 20, (2, 500))
    x, y = np.concatenate([pairs, drawn, whole, drawn / [[1], [1e4]]], axis=1).astype(dtype)
    return torch.from_numpy(x), torch.from_numpy(y)


def by_both(monkeypatch: pytest.MonkeyPatch, call: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return what a call gives natively and by NumPy."""
    found = call().numpy()
    monkeypatch.setattr(large, "SLOW", 1 << 62)
    return found, call().numpy()


def numbers_of(x: np.ndarray) -> bytes:
    """Return the bits of an array, those of nan aside."""
    return np.where(np.isnan(x), x.dtype.type(np.nan), x).tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", NAMES)
def test_the_bits_are_those_of_numpy(monkeypatch: pytest.MonkeyPatch, name: str, dtype: Any) -> None:
    x, y = operands(dtype)
    found, expected = by_both(monkeypatch, lambda: getattr(torch, name)(x, y))
    assert numbers_of(found) == numbers_of(expected)


@pytest.mark.parametrize("number", [0.3, -2.5, 2, 0.0, float("inf")])
@pytest.mark.parametrize("name", NAMES)
def test_numbers_divide_as_arrays_do(monkeypatch: pytest.MonkeyPatch, name: str, number: float) -> None:
    x, _ = operands(np.float32)
    asked, kernels = [], large.source()
    real = kernels.elementwise
    monkeypatch.setattr(kernels, "elementwise", lambda *given: asked.append(real(*given)) or asked[-1])
    found, expected = by_both(monkeypatch, lambda: getattr(torch, name)(x, number))
    assert len(asked) == 1 and asked[0] is not None
    assert numbers_of(found) == numbers_of(expected)


@pytest.mark.parametrize("name", NAMES)
def test_programs_have_the_same(name: str) -> None:
    x, y = operands(np.float32)
    found = torch.compile(lambda x, y: getattr(torch, name)(x, y), backend="native")(x, y)
    assert numbers_of(found.numpy()) == numbers_of(getattr(torch, name)(x, y).numpy())


def test_calls_of_one_kind_go_on_natively(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = operands(np.float32)
    for _ in range(250):
        torch.fmod(x, y)
    asked, kernels = [], large.source()
    real = kernels.elementwise
    monkeypatch.setattr(kernels, "elementwise", lambda *given: asked.append(given[0]) or real(*given))
    torch.fmod(x, y)
    assert asked == ["fmod"]


@pytest.mark.parametrize("name", ["exp2", "log2", "log10", "elu", "logaddexp"])
def test_what_numpy_computes_one_by_one_begins_sooner(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    x = torch.from_numpy(np.random.default_rng(0).random(large.WORTH_SLOW + 50)).float() + 0.5
    call = {"elu": torch.nn.functional.elu, "logaddexp": lambda x: torch.logaddexp(x, x)}.get(
        name, getattr(torch, name, None)
    )
    asked, kernels = [], large.source()
    real = kernels.elementwise
    monkeypatch.setattr(kernels, "elementwise", lambda *given: asked.append(given[0]) or real(*given))
    for _ in range(250):
        call(x)
    asked.clear()
    found = call(x)
    assert asked == [name]
    torch.testing.assert_close(found.double(), call(x.double()), rtol=3e-7, atol=1e-7)
