"""Where nothing faster is provided, every question is answered with None, and NumPy does the work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.array import large
from pullback.core import backend


def test_without_native_kernels_every_answer_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "source", lambda: None)
    x = np.ones((1 << 16, 2), np.float32)
    assert large.ask("elementwise", "exp", (x,), ()) is None
    assert backend.pulled(None, x, (), (True,)) is None
    monkeypatch.setattr(large, "MATRIX", 1)
    monkeypatch.setattr(large, "STACK", 1)
    assert (large.multiplied(x, x.T[:, :16]) == 2).all()
    assert (large.stacked(x[None], x.T[:, :16]) == 2).all()


def test_a_kernel_is_asked_for_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kernels:
        def sums(self, x: Any, out: Any) -> tuple[Any, Any]:
            return x, out

    monkeypatch.setattr(large, "source", Kernels)
    assert large.ask("sums", 1, 2) == (1, 2)


def test_without_a_compiler_compile_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "_load", None)
    with pytest.raises(RuntimeError, match="no compiler was provided"):
        backend.compiled(abs)


def test_an_optimizer_that_was_not_made_like_one_steps_by_itself() -> None:
    class Own:
        pass

    assert backend.optimizer_steps(Own()) is None
