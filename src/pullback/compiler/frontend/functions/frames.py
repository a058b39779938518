"""Give the frames of calls as the function finds them: the file, the line and the code of a caller.

The frames of rewritten code are real ones with the user's lines, and between two of them are those of the
trace. A frame of anything else, or of what called the function, may be another in each call.
"""

import sys
from types import AsyncGeneratorType, CoroutineType, FrameType, GeneratorType
from typing import Any

from ....core.blame import PACKAGE
from ..bytecode.instrument import original
from ..state.session import Session
from .builtin_functions import refuse
from .rules import rule

#: What stands for instructions: in eager, nothing of Python lies between the frames that it joins.
_BETWEEN = PACKAGE + "compiler/frontend/operations/"


@rule(sys._getframe)
def _frame(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    up = args[0] if args else 0
    if len(args) > 1 or kwargs or type(up) is not int:
        raise refuse(session, f)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if original(frame.f_code) is not None:
            if up <= 0:
                return session.made(frame)
            up -= 1
        elif not frame.f_code.co_filename.startswith(_BETWEEN):
            break
        frame = frame.f_back
    raise session.refusal("it asks for the frame of what called it")


@rule(*vars(FrameType).values())
def _attribute(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return an attribute of a frame, of which variables and callers may hold anything."""
    (frame,) = args
    if f.__name__ not in ("f_code", "f_lineno"):
        raise session.refusal(f"it reads .{f.__name__} of a frame")
    return original(frame.f_code) if f.__name__ == "f_code" else frame.f_lineno


@rule(GeneratorType.gi_code, CoroutineType.cr_code, AsyncGeneratorType.ag_code)
def _code(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the code of a generator or coroutine, which is rewritten where the trace has made it."""
    (thing,) = args
    if not session.is_fresh(thing):
        return session.read_slot(thing, f)
    code = f.__get__(thing)
    return original(code) or code
