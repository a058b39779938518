"""Extremes down the columns of arrays that are not small: a native loop gives what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large
from pullback.ops import extreme

pytest.importorskip("llvmlite")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the native kernels that are asked for, from now on at once."""
    if not large.is_there():
        pytest.skip("native code is switched off")
    names: list[str] = []

    class Hot:
        def is_hot(self, nanoseconds: float) -> bool:
            return True

        def ask(self, kernel: str, name: str, *given: Any) -> Any:
            names.append(name)
            return large.ask(kernel, name, *given)

    monkeypatch.setattr(extreme, "_HOTNESS", Hot())
    return names


def _columns(rows: int, length: int, tail: int, dtype: Any = np.float32) -> np.ndarray:
    """Return an array of ties, nan and infinities."""
    x = np.random.default_rng(0).integers(-3, 4, (rows, length, tail)).astype(dtype)
    x[3, 2, 5] = x[3, 4, 5] = x[9, 0, 0] = np.nan
    x[4, 1:3, 7], x[5, :, 3] = np.inf, -np.inf
    return x


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("keepdim", [False, True])
def test_a_native_loop_finds_what_numpy_finds(asked: list[str], name: str, dtype: Any, keepdim: bool) -> None:
    x = _columns(200, 6, 16, dtype)
    at = getattr(np, f"arg{name}")(x, 1, keepdims=True)
    expected = [np.take_along_axis(x, at, 1), at, at, np.take_along_axis(x, at, 1)]
    given = torch.from_numpy(x)
    found = [
        *getattr(torch, name)(given, 1, keepdim), getattr(torch, f"arg{name}")(given, 1, keepdim),
        getattr(torch, f"a{name}")(given, 1, keepdim),
    ]  # fmt: skip
    for own, numpys in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own.numpy(), numpys if keepdim else numpys[:, 0], strict=True)
    assert asked == [f"{name}_along", f"{name}_along", f"a{name}_along"]


def test_it_is_asked_only_where_it_is_faster(asked: list[str]) -> None:
    whole = torch.arange(200 * 6 * 16).reshape(200, 6, 16)
    for x in (_columns(20, 40, 16), _columns(20, 6, 16), _columns(200, 6, 32)[..., ::2]):
        given = torch.from_numpy(x)
        assert given.max(1)[0].shape == given.argmin(1).shape == given.amax(1).shape
    assert whole.max(1)[1].sum() == 5 * 200 * 16
    assert torch.from_numpy(_columns(50, 6, 16)).amax(1).shape == (50, 16)
    assert asked == []
