"""Where nothing makes native code: Python's bytecode is not known, or llvmlite is not installed."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import pytest

import pullback
from pullback.compiler import api
from pullback.compiler.frontend.bytecode import instructions

pytest.importorskip("llvmlite")


def test_functions_run_eagerly_with_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "SUPPORTED", False)
    api._warn.cache_clear()
    x = pullback.ones(2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for k in range(3):
            compiled: Any = pullback.compile(lambda x, k=k: x * k)
            assert compiled(x).tolist() == compiled(x).tolist() == [k, k]
    assert [w.filename for w in told] == [__file__]
    assert "the bytecode of this Python" in str(told[0].message)
    api._warn.cache_clear()


def test_without_llvmlite_the_users_line_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    x = pullback.ones(2)
    for subject in (lambda x: x + 1, pullback.nn.ReLU()):
        api._warn.cache_clear()
        with pytest.warns(UserWarning, match=r"llvmlite is not installed; pip install") as told:
            compiled = pullback.compile(subject)
        assert [w.filename for w in told] == [__file__]
        assert compiled(x).tolist() == subject(x).tolist()
    api._warn.cache_clear()
