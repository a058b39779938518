"""Warn at the user's line; some warnings torch gives once in a process."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ..array import process
from .blame import user_frame
from .settings import SETTINGS

#: Texts, or their kinds, that were given.
GIVEN: set[str] = set()


class _Rehearsed(threading.local):
    """A context in which warnings of this thread are errors: what is done will be put back, and nothing may
    be heard of it.

    Python's filters are left alone: a change of them lets warnings that were given once be given again.
    """

    on = False
    #: Where warnings are noted and not given; None: nowhere.
    noted: list[tuple[str, type[Warning]]] | None = None

    def __enter__(self) -> None:
        self.on = True

    def __exit__(self, *_: object) -> None:
        self.on = False


rehearsed = _Rehearsed()


@contextmanager
def noted() -> Iterator[list[tuple[str, type[Warning]]]]:
    """Note in the block the warnings that this thread would give each time, and give none."""
    before, texts = rehearsed.noted, list[tuple[str, type[Warning]]]()
    rehearsed.noted = texts
    try:
        yield texts
    finally:
        rehearsed.noted = before


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Warn at the user's line."""
    if rehearsed.on:
        raise kind(text)
    if rehearsed.noted is not None:
        rehearsed.noted.append((text, kind))
        return
    level, frame = 1, sys._getframe()
    user = user_frame(frame)
    while frame is not user and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)


def warn_once(text: str, kind: str | None = None) -> None:
    """Warn once of a text, or of a kind, at the user's line, unless `set_warn_always` says otherwise."""
    if SETTINGS.warns_always or (kind or text) not in GIVEN:
        if rehearsed.noted is not None:  # the next call is to give none
            raise UserWarning(text)
        if not rehearsed.on:
            GIVEN.add(kind or text)
        warn(text)


_EXPERIMENTAL = "ComplexHalf support is experimental and many operators don't support it yet."


def warn_of_complex_half() -> None:
    """Warn, once, at the user's line that made the first array of complex32."""
    if SETTINGS.warns_always or _EXPERIMENTAL not in GIVEN:
        warn_once(_EXPERIMENTAL)


def set_warn_always(b: bool, /) -> None:
    """Make the warnings that are given once be given each time (or not)."""
    SETTINGS.warns_always = b


def is_warn_always_enabled() -> bool:
    """Return whether the warnings that are given once are given each time."""
    return SETTINGS.warns_always


def forget() -> None:
    """Give every warning anew, as a fresh process does."""
    GIVEN.clear()
    process.changed()
    set_warn_always(False)
