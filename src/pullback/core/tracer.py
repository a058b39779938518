"""Tracing: a value that writes down an equation instead of computing.

A `Tracer` stands for one value of a program. Running an op on tracers appends an equation (op, operands,
attributes) to the program and makes tracers of the shapes and dtypes that the op's shape rule gives. Arrays
that meet a tracer become constants of the program.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array import locks
from .value import InnerValue, TensorBase, sharing, wrap, writer

if TYPE_CHECKING:
    from .op import Op
    from .recorder import Recorder

#: Seconds after which a thread that waits looks again.
_MOMENT = 0.001


class Turn:
    """Let one thread trace at a time.

    The tensors that a trace comes upon hold values of its program until it ends. Another thread that comes
    upon one waits (`awaited`), and one whose call fits no program asks again if a trace has `ended` since.
    """

    def __init__(self) -> None:
        self._lock = locks.reentrant_lock()
        self.ended = 0

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def is_free(self) -> bool:
        """Wait for a moment; return whether no other thread traces."""
        if free := self._lock.acquire(timeout=_MOMENT):
            self._lock.release()
        return free


turn = Turn()


#: Return what writes the running function down (a C method).
running: Callable[[], Recorder | None] = writer.get


def is_tracing() -> bool:
    """Return whether a function is being written down as a program."""
    return running() is not None


@contextmanager
def tracing(recorder: Recorder) -> Iterator[None]:
    """Let loops that are called by name, and random draws, be written down, for a ``with`` block."""
    token = writer.set(recorder)
    # Of a tensor that is no value of the program yet: it will be when it is written to.
    outermost = recorder.share not in sharing
    if outermost:
        sharing.append(recorder.share)
    try:
        yield
    finally:
        if outermost:
            sharing.remove(recorder.share)
        writer.reset(token)


#: Gives a function of the user's as one whose operations a trace sees.
_twin: ContextVar[Callable[[Any], Any] | None] = ContextVar("pullback_twin", default=None)


def seen(function: object) -> Any:
    """Return a function of the user's as the trace that is running, if there is one, is to call it."""
    twin = _twin.get()
    return function if twin is None else twin(function)


@contextmanager
def seeing(twin: Callable[[Any], Any]) -> Iterator[None]:
    """Have functions of the user's called as `twin` gives them, for a ``with`` block."""
    token = _twin.set(twin)
    try:
        yield
    finally:
        _twin.reset(token)


def refuse_all(error: BaseException) -> None:
    """Let the trace that is running, if there is one, come to nothing."""
    if (recorder := running()) is not None:
        recorder.refuse(error)


class Exchanges(RuntimeError):
    """A traced function exchanges tensors with other processes by more than its values tell: it runs in
    parts, of which those that exchange nothing may be compiled.
    """


def refuse_exchange(what: str) -> None:
    """Let the trace that is running, if there is one, come to nothing before processes exchange tensors."""
    if (recorder := running()) is not None:
        raise recorder.refuse(Exchanges(what))


def is_traced(x: object) -> bool:
    """Return whether a tensor or value has no numbers yet: they are known when the program runs."""
    while isinstance(x, TensorBase):
        x = x._value
    return isinstance(x, Tracer)


def traced(x: object) -> Any:
    """Return a value as one of the program that is being written down, if there is one: what is drawn for an
    array that does not depend on the program's inputs is drawn anew by each run all the same.
    """
    recorder = running()
    value = x._value if isinstance(x, TensorBase) else x
    if recorder is None or type(value) is not ndarray:
        return x
    if isinstance(x, TensorBase) and x._node is not None and recorder.lifts:
        recorder.lift(x)  # it keeps its history
        return x
    constant = Tracer(recorder, recorder.operand(value)[0].index)
    return wrap(constant, None, recorder.level) if isinstance(x, TensorBase) else constant


class Tracer(InnerValue):
    """One value of a program under construction."""

    __slots__ = ("__weakref__", "_level", "index", "recorder")

    def __init__(self, recorder: Recorder, index: int) -> None:
        self.recorder = recorder
        self.index = index
        self._level = recorder.level

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the value."""
        return self.recorder.shapes[self.index]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the NumPy dtype of the value."""
        return self.recorder.dtypes[self.index]

    def array(self, *_: object, **__: object) -> Any:
        """Return the value's numbers, which most traces do not have yet."""
        return self.recorder.numbers_of(self.index)

    __array__ = array

    def item(self) -> Any:
        """Return the only element; a whole number or truth value may be a part of the program."""
        asked = self.recorder.number
        return self.array().item() if asked is None or self.dtype.kind not in "iub" else asked(self)

    def __complex__(self) -> complex:
        return complex(self.array())

    def __float__(self) -> float:
        return float(self.array())

    def __int__(self) -> int:
        return int(self.array())

    __index__ = __int__

    def is_foreign(self) -> bool:
        """Return whether it is of a trace that another thread does."""
        return self.recorder._thread != get_ident()

    def awaited(self, tensor: Any) -> Any:
        """Return what a tensor holds when the trace of another thread has left it."""
        value: Any = self
        while type(value) is Tracer and value.is_foreign():
            free = turn.is_free()
            before, value = value, tensor._value
            if free and value is before:
                break
        return value

    def shared(self, source: object, tensor: object, how: str) -> None:
        """Note that `tensor` is what ``source.detach()`` or ``source.data`` gave."""
        self.recorder.share(source, tensor, how)

    def replaced(self, tensor: object, other: object) -> bool:
        """Return whether the data that a tensor is given are its own, or each call gives them to it; refuse
        others, whose memory it then shares.
        """
        recorder = self.recorder
        if recorder.is_same(tensor, other) or (recorder.gives is not None and recorder.gives(tensor, other)):
            return True
        recorder.refuse(RuntimeError("the function gives a tensor other data"))
        return False

    def escaped(self) -> Any:
        """Refuse: outside the body of a loop its values are not there."""
        raise RuntimeError(
            "a tensor from the body of a loop or branch was used outside: what a body makes leaves it by "
            "being returned"
        )

    @classmethod
    def run(cls, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Have the program write down an equation; return tracers for its outputs."""
        for v in inputs:
            if isinstance(v, Tracer) and v._level == level:
                recorder = v.recorder
                break
        return recorder.record(op, inputs, attrs)
