"""Warnings of the function's, given by each call when its program has run.

Which file and line a message says is that of the user's code, as it was in the trace.
"""

import sys
import warnings
from typing import Any

from ....core.blame import PACKAGE, user_frame
from ....core.warn import warn
from ..state.deferred import Deferred
from ..state.recorded_warnings import WarnAgain
from ..state.session import Session
from .rules import rule

_HERE = PACKAGE + "compiler"
_TRACED = PACKAGE + "compiler/frontend/capture.py"


def frame_of(session: Session, level: int) -> Any:
    """Return the frame of code that a trace runs, the first or one further out, as a message tells it."""
    frame: Any = sys._getframe(1)
    while True:
        file = frame.f_code.co_filename
        if file == _TRACED or frame.f_back is None:
            raise session.refusal("a message tells the line of the function's caller")
        if not file.startswith(_HERE):
            level -= 1
            if level <= 0:
                return frame
        frame = frame.f_back


@rule(warnings.warn, warn)
def _warn(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    text, category, level = _warning(session, *args, **kwargs)
    # What a layer of ours warns of is told of the user's line.
    frame = user_frame(frame_of(session, level))
    names = frame.f_globals
    where = (frame.f_code.co_filename, frame.f_lineno)
    again = WarnAgain(text, category, where, names.get("__name__") or "<string>", names)
    session.effect(again, None, text)


def _warning(
    session: Session, message: Any, category: Any = None, stacklevel: Any = 1, source: Any = None, **more: Any
) -> tuple[Any, type[Warning], int]:
    known = isinstance(message, str) or (isinstance(message, Deferred) and message.kind is str)
    category = UserWarning if category is None else category
    plain = isinstance(category, type) and issubclass(category, Warning) and type(stacklevel) is int
    if not known or not plain or source is not None or more:
        raise session.refusal("it warns in a way of which not everything is known")
    return message, category, stacklevel
