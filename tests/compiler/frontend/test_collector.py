"""The collector is held back while a function is compiled, and only then."""

from __future__ import annotations

import gc
import threading
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.runtime import compiled


@pytest.fixture(autouse=True)
def collecting() -> Any:
    before = gc.isenabled()
    yield
    (gc.enable if before else gc.disable)()


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_the_collector_is_afterwards_as_it_was(enabled, fails, monkeypatch):
    seen = []

    def noting(*args: Any) -> Any:
        seen.append(gc.isenabled())
        if fails:
            raise KeyboardInterrupt
        return capture(*args)

    capture = compiled.capture
    monkeypatch.setattr(compiled, "capture", noting)
    monkeypatch.setattr(threading, "active_count", lambda: 1)  # other tests may have left threads
    (gc.enable if enabled else gc.disable)()
    call = torch.compile(lambda x: x + 1, backend="native")
    if fails:
        with pytest.raises(KeyboardInterrupt):
            call(torch.ones(2))
    else:
        assert call(torch.ones(2)).tolist() == [2, 2]
    assert gc.isenabled() is enabled
    assert seen == [False]


def test_other_threads_keep_the_collector(monkeypatch):
    seen = []

    def noting(*args: Any) -> Any:
        seen.append(gc.isenabled())
        return capture(*args)

    capture = compiled.capture
    monkeypatch.setattr(compiled, "capture", noting)
    gc.enable()
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        torch.compile(lambda x: x + 2, backend="native")(torch.ones(2))
    finally:
        done.set()
        other.join()
    assert seen == [True]
