"""``with``, ``raise`` and ``except`` as rewritten code does them."""

from _thread import LockType, RLock
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any

from ....core.blame import own_file
from ....core.tracer import Exchanges
from ..state.guards import ABSENT
from ..state.session import current
from ..unsupported import Again, OnlyNow, Unsupported
from . import calls

#: The types of locks.
_LOCKS = (LockType, RLock)


def enter(manager: object) -> tuple[Any, Any]:
    """Enter a context; return what it gives, and the function that leaves it."""
    session = current.get()
    cls = type(manager)
    session.typed(manager)
    entering, leaving = session.lookup(cls, "__enter__"), session.lookup(cls, "__exit__")
    if entering is ABSENT or leaving is ABSENT:
        missing = "" if entering is ABSENT else " (missed __exit__ method)"
        raise TypeError(f"'{cls.__name__}' object does not support the context manager protocol{missing}")
    if type(entering) is not FunctionType or type(leaving) is not FunctionType:
        if cls in _LOCKS and manager not in session.knowledge.locks:
            # What is done once, under a lock, later calls do not do.
            session.knowledge.locks.add(manager)
            raise session.refusal(f"it enters a {cls.__name__}", OnlyNow)
        raise session.refusal(f"it enters a {cls.__name__}")

    def leave(*exception: Any) -> Any:
        # Contexts of ours are left in any case, but none keeps a refusal from ending the trace.
        handles = calls.call_function(session, leaving, (manager, *exception), {})
        return handles if session.refused is None else None

    if isinstance(manager, AbstractContextManager) and own_file[entering.__code__.co_filename]:
        session.seen(manager)
    session.made(leave)
    return calls.call_function(session, entering, (manager,), {}), leave


def exception(thing: object) -> Any:
    """Return what is raised; a class is made an exception here."""
    if isinstance(thing, type) and issubclass(thing, BaseException):
        return calls.call(thing, ())
    return thing


def caught(error: BaseException) -> None:
    """Refuse to handle an error in a trace that comes to nothing: of such a one no more is run, `finally` and
    all. What the rest would do is not seen everywhere: a place that was refused once is read without a word.
    """
    left(error)
    session = current.get(None)
    refused = session and (session.refused or session.cells.recorder.refused)
    if refused and not isinstance(error, GeneratorExit):
        raise refused


def left(error: BaseException) -> None:
    """Refuse to handle what eager does not raise: a word of the compiler's, and what a trace may raise whose
    calls are deeper and larger.
    """
    session = current.get(None)
    if session and isinstance(error, _WORDS) and session.refused is None:
        session.refused = error
    if isinstance(error, (RecursionError, MemoryError)):
        raise current.get().refusal(f"it handles a {type(error).__name__}")


#: What says why there is no program. Functions that know of no session, as those of `disable`, raise it, too.
_WORDS = (Unsupported, OnlyNow, Again, Exchanges)


def unknown(name: str) -> None:
    """Refuse an instruction that nothing here knows."""
    what = {"LOAD_BUILD_CLASS": "it defines a class", "GET_AWAITABLE": "it awaits"}.get(name, name)
    raise current.get().refusal(what if " " in what else f"the instruction {what}")
