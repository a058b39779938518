"""Versions of Python whose bytecode is not known."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pullback
from pullback.compiler import api
from pullback.compiler.frontend import bytecode

pytest.importorskip("llvmlite")


def test_functions_run_eagerly_with_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bytecode, "SUPPORTED", False)
    api._warn_of_version.cache_clear()
    x = pullback.ones(2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for k in range(3):
            compiled: Any = pullback.compile(lambda x, k=k: x * k)
            assert compiled(x).tolist() == compiled(x).tolist() == [k, k]
    assert [w.filename for w in told] == [__file__]
    assert "the bytecode of this Python" in str(told[0].message)
    api._warn_of_version.cache_clear()
