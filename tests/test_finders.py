"""Modules that are found under a name of torch's, in several threads."""

from __future__ import annotations

import _imp
import threading
from types import ModuleType
from typing import Any

import pytest

import pullback
from pullback import torch_names
from pullback.command import run


@pytest.mark.parametrize(
    ("finder", "name", "home", "loads"),
    [
        (torch_names.Finder, "pullback.mps", torch_names, "_loaded"),
        (run.TorchFinder, "torch.mps", run, "find_module"),
    ],
)
def test_a_finder_lets_other_threads_import(
    finder: Any, name: str, home: ModuleType, loads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that had what the finder waits for, and waited for the import lock, made both wait for ever."""
    done = threading.Event()

    def other() -> None:
        _imp.acquire_lock()
        _imp.release_lock()
        done.set()

    def load(_: str) -> ModuleType:
        threading.Thread(target=other).start()
        assert done.wait(30)
        return pullback

    monkeypatch.setattr(home, loads, load)
    _imp.acquire_lock()
    try:
        assert finder.find_spec(name).loader.module is pullback
    finally:
        _imp.release_lock()  # an error where the finder did not take it back
