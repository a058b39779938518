"""Records of `logging`, given by each call when its program has run; loaded with the first call that logs."""

import logging
import re
from functools import partial
from typing import Any

from ..operations import formatting
from ..state.deferred import Applied, Deferred
from ..state.guards import SCALARS
from ..state.session import Session
from .builtin_functions import _STREAMS, refuse
from .messages import frame_of
from .rules import rule

_LOGGERS = (logging.Logger, logging.RootLogger)
_LEVELS = {name: level for level in (10, 20, 30, 40, 50) for name in (logging.getLevelName(level).lower(),)}


def _logged(logger: Any, level: int, where: tuple[str, int, str], _: None, text: object, *args: Any) -> None:
    """Log a message that was met in a trace, of the code that logs it."""
    file, line, name = where
    logger.handle(logger.makeRecord(logger.name, level, file, line, text, args, None, name, None, None))


def _is_plain(logger: object) -> bool:
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


def _log(session: Session, logger: object, level: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if type(logger) not in _LOGGERS or not args:
        raise session.refusal("it logs in a way of which not everything is known")
    if not _asked(session, logging.Logger.isEnabledFor, (logger, level), {}):
        return
    if kwargs or not session.ask(_is_plain, logger):
        raise session.refusal("it logs in a way of which not everything is known")
    text, *values = args
    if not isinstance(text, (str, Deferred)):
        raise session.refusal("it logs something that is no text")
    shown = [_shown(session, text, value) for value in values]
    frame = frame_of(session, 1)
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


def _shown(session: Session, text: object, value: object) -> Any:
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
def _of_level(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    logger, level, *rest = args
    if type(level) is not int:
        raise session.refusal("it logs at a level that is no number")
    _log(session, logger, level, tuple(rest), kwargs)


@rule(*(getattr(logging, name) for name in _LEVELS))
def _of_root(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not session.ask(logging.Logger.hasHandlers, logging.root):
        raise session.refusal("it logs where no handler is known yet")
    _log(session, logging.root, _LEVELS[f.__name__], args, kwargs)


@rule(logging.Logger.isEnabledFor, logging.Logger.getEffectiveLevel)
def _asked(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    logger, *rest = args
    if type(logger) not in _LOGGERS or kwargs or any(type(value) is not int for value in rest):
        raise refuse(session, f)
    return session.ask(f, *args)


@rule(logging.getLogger)
def _logger(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs or any(type(value) not in SCALARS for value in args):
        raise refuse(session, f)
    return session.seen(session.ask(f, *args))
