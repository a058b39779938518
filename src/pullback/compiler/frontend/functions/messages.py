"""Messages of the function's: records of `logging` and warnings, given by each call when its program has run.

Which file and line a message says is that of the user's code, as it was in the trace.
"""

import logging
import re
import sys
import warnings
from functools import partial
from typing import Any

from ....core.blame import PACKAGE, user_frame
from ....core.warn import warn
from ..operations import formatting
from ..state.deferred import Applied, Deferred
from ..state.guards import SCALARS, Guard, answer
from ..state.recorded_warnings import WarnAgain
from ..state.session import Session
from .builtin_functions import _STREAMS, refuse
from .rules import rule

_LOGGERS = (logging.Logger, logging.RootLogger)
_LEVELS = {name: level for level in (10, 20, 30, 40, 50) for name in (logging.getLevelName(level).lower(),)}
_HERE = PACKAGE + "compiler"
_TRACED = PACKAGE + "compiler/frontend/capture.py"


def _frame(session: Session, level: int) -> Any:
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


# --- logging ------------------------------------------------------------------------------------------------


def _logged(logger: Any, level: int, where: tuple[str, int, str], _: None, text: Any, *args: Any) -> None:
    """Log a message that was met in a trace, of the code that logs it."""
    file, line, name = where
    logger.handle(logger.makeRecord(logger.name, level, file, line, text, args, None, name, None, None))


def _is_plain(logger: Any) -> bool:
    """Return whether no code of the user's looks at what is logged: it would come at another moment."""
    heard: Any = logger
    while heard is not None:
        if heard.filters:
            return False
        for handler in heard.handlers:
            kinds = (type(handler), type(handler.formatter))
            if handler.filters or any(k.__module__.partition(".")[0] not in _KNOWN for k in kinds):
                return False
            if not isinstance(getattr(handler, "stream", None), (*_STREAMS, type(None))):
                return False
        heard = heard.parent if heard.propagate else None
    return True


#: Where classes of handlers and formatters lie that do nothing else; `builtins` has the class of None.
_KNOWN = ("logging", "builtins")


def _log(session: Session, logger: Any, level: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if type(logger) not in _LOGGERS or not args:
        raise session.refusal("it logs in a way of which not everything is known")
    if not _asked(session, logging.Logger.isEnabledFor, (logger, level), {}):
        return
    if kwargs or not _is_plain(logger):
        raise session.refusal("it logs in a way of which not everything is known")
    session.note(Guard(answer, _is_plain, (logger,), True), (id(logger), "logs"))
    text, *values = args
    if not isinstance(text, (str, Deferred)):
        raise session.refusal("it logs something that is no text")
    shown = [_shown(session, text, value) for value in values]
    frame = _frame(session, 1)
    where = frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
    session.effect(partial(_logged, logger, level, where), None, text, *shown)


class _Shown:
    """Stand for a value that a message writes as ``%s`` or ``%r``: the texts that it had then."""

    def __init__(self, *texts: str) -> None:
        self._str, self._repr = texts

    def __str__(self) -> str:
        return self._str

    def __repr__(self) -> str:
        return self._repr


def _shown(session: Session, text: Any, value: Any) -> Any:
    if isinstance(value, Deferred) or type(value) in SCALARS:
        return value
    if not isinstance(text, str) or _OTHER_FORMAT.search(text) is not None:
        raise session.refusal(f"it logs a {type(value).__name__}")
    parts = tuple(formatting.text_of(session, value, function) for function in (str, repr))
    if any(isinstance(part, Deferred) for part in parts):
        return Applied(session, object, _Shown, parts)
    return session.seen(_Shown(*parts))


#: What formats a value otherwise than by its text.
_OTHER_FORMAT = re.compile(r"%(?![sr%])")


@rule(*(getattr(logging.Logger, name) for name in _LEVELS))
def _of_logger(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    logger, *rest = args
    _log(session, logger, _LEVELS[f.__name__], tuple(rest), kwargs)


@rule(logging.Logger.log)
def _of_level(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    logger, level, *rest = args
    if type(level) is not int:
        raise session.refusal("it logs at a level that is no number")
    _log(session, logger, level, tuple(rest), kwargs)


@rule(*(getattr(logging, name) for name in _LEVELS))
def _of_root(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not logging.root.handlers:
        raise session.refusal("it logs where no handler is known yet")
    session.note(Guard(answer, _has_handlers, (), True), "root handlers")
    _log(session, logging.root, _LEVELS[f.__name__], args, kwargs)


def _has_handlers() -> bool:
    return bool(logging.root.handlers)


@rule(logging.Logger.isEnabledFor, logging.Logger.getEffectiveLevel)
def _asked(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    logger, *rest = args
    if type(logger) not in _LOGGERS or kwargs or any(type(value) is not int for value in rest):
        raise refuse(session, f)
    value = f(logger, *rest)
    session.note(Guard(answer, f, args, value), (id(logger), f.__name__, *rest))
    return value


@rule(logging.getLogger)
def _logger(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs or any(type(value) not in SCALARS for value in args):
        raise refuse(session, f)
    found = f(*args)
    session.note(Guard(answer, f, args, found), ("logger", *args))
    return session.seen(found)


# --- warnings -----------------------------------------------------------------------------------------------


@rule(warnings.warn, warn)
def _warn(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    text, category, level = _warning(session, *args, **kwargs)
    # What a layer of ours warns of is told of the user's line.
    frame = user_frame(_frame(session, level))
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
