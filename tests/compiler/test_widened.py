"""Long kernels of short loops are written as vectors, and give the bits that their loops give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler import trace

pytest.importorskip("llvmlite")
from pullback.compiler.emit import modules
from pullback.compiler.emit.emitter import Module
from pullback.compiler.emit.functions import widths
from pullback.compiler.emit.widened import widened
from pullback.compiler.passes import memory_plan
from pullback.compiler.runtime.executable import Executable


def many(x: Any, y: Any, z: Any) -> Any:
    """Apply ops of all kinds that kernels have, and no two in the same way."""
    for k in range(12):
        x, y = torch.sin(x) + k * y, torch.maximum(y, x - 0.5 * k)
        y = torch.where(x > 0.1 * k, y, torch.clamp(x, -1.0, k + 1.0)) * z
        x = torch.hypot(x, torch.sqrt(torch.abs(y))) + (x < y).float()
        x = torch.sign(x) * torch.sigmoid(y) / (k + 2) + torch.floor(x)
        y = torch.relu(y) - 0.1 * x
    return x, y, torch.isfinite(x) & (y != x)


def results(monkeypatch: Any, size: int, whole: bool) -> tuple[list[np.ndarray], list[str]]:
    """Return what a program gives, and the texts that were written as vectors."""
    monkeypatch.setattr(memory_plan, "MANY", 0)
    monkeypatch.setattr(Executable, "kept", False)
    texts: list[str] = []

    def noted(text: str, module: Module) -> str | None:
        found = widened(text, module)
        texts.extend([found] if found else [])
        return found if whole else None

    monkeypatch.setattr(modules, "widened", noted)
    numbers = torch.linspace(-3.0, 3.0, 2 * size).reshape(2, size)
    numbers[0, 0] = float("inf")
    args = numbers[0].clone(), numbers[1].clone(), torch.tensor(0.75)
    traced = trace(many, *args)
    return Executable(traced.program).run(*(t._value for t in traced._reads)), texts


@pytest.mark.parametrize("vectors", [2, 3, 4, 8])
def test_vectors_give_what_loops_give(monkeypatch, vectors):
    size = vectors * min(widths("float"))
    wide, texts = results(monkeypatch, size, True)
    loops, _ = results(monkeypatch, size, False)
    assert texts and all(" x float>" in text and "!llvm.loop" not in text for text in texts)
    for one, other in zip(wide, loops, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_size_that_fills_no_vectors_stays_a_loop(monkeypatch):
    found, texts = results(monkeypatch, 13, True)
    assert not texts and np.isfinite(found[0][1:]).all()
