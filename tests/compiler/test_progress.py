"""A first call that takes long says so, on a terminal only."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback.compiler.runtime import progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class AtOnce:
    """A timer whose time has come when it starts."""

    cancelled = 0

    def __init__(self, seconds: float, function: Callable[[], Any]) -> None:
        self.seconds, self.function, self.daemon = seconds, function, False

    def start(self) -> None:
        assert self.seconds == progress.AFTER
        assert self.daemon
        self.function()

    def cancel(self) -> None:
        AtOnce.cancelled += 1


def test_a_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress.threading, "Timer", AtOnce)
    for stream, expected in ((Terminal(), "compile: step is being compiled …\n"), (io.StringIO(), "")):
        monkeypatch.setattr(progress.sys, "stderr", stream)

        def step(x: Any) -> Any:
            return x * 2

        step.__qualname__ = "step"
        compiled = torch.compile(step)
        compiled(torch.ones(3))
        compiled(torch.ones(3))
        assert stream.getvalue() == expected
    assert AtOnce.cancelled == 1
