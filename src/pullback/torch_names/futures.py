"""torch.futures: values that come later, set by one thread and waited for by others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..array import locks

T = TypeVar("T")


class Future(Generic[T]):
    """A value or an error that will be there.

    Parameters
    ----------
    devices : list, optional
        Taken for torch's sake; there is only the CPU.
    """

    __module__ = "torch.jit"

    def __init__(self, *, devices: Any = None) -> None:
        self._condition = locks.condition()
        self._complete = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], Any]] = []

    def done(self) -> bool:
        """Return whether the value or the error is there."""
        return self._complete

    def wait(self) -> T:
        """Wait for the value and return it, or raise the error."""
        with self._condition:
            self._condition.wait_for(lambda: self._complete)
        return self.value()

    def value(self) -> T:
        """Return the value, or the error raised; only where `done`."""
        if not self._complete:
            raise RuntimeError("the value of a Future was asked for before it was complete: call wait()")
        if self._error is not None:
            raise self._error
        return self._result

    def _finish(self, result: Any, error: BaseException | None) -> None:
        with self._condition:
            if self._complete:
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future can only be "
                    "marked completed once."
                )
            self._result, self._error, self._complete = result, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._condition.notify_all()
        for callback in callbacks:
            callback(self)

    def set_result(self, result: T) -> None:
        """Give the value, once."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Give an error in its place."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    @staticmethod
    def _of(result: Any) -> Future[Any]:
        """Return a future that has its value."""
        made: Future[Any] = Future()
        made.set_result(result)
        return made

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Have a function called with this future when it is complete, at once where it is."""
        with self._condition:
            if not self._complete:
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """Return the future of what a function makes of this one when it is complete."""
        following: Future[Any] = Future()

        def follow(done: Future[T]) -> None:
            try:
                result = callback(done)
            except Exception as error:  # noqa: BLE001  # it is the following future's to raise
                following.set_exception(error)
            else:
                following.set_result(result)

        self.add_done_callback(follow)
        return following


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """Return the future of a list of futures, complete when all of them are."""
    collected: Future[list[Future[Any]]] = Future()
    remaining = len(futures)
    lock = locks.lock()
    if not futures:
        collected.set_result([])

    def count(_: Future[Any]) -> None:
        nonlocal remaining
        with lock:
            remaining -= 1
            last = remaining == 0
        if last:
            collected.set_result(futures)

    for future in futures:
        future.add_done_callback(count)
    return collected


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """Wait for all futures and return their values; the first error is raised."""
    return [future.wait() for future in futures]


__all__ = ["Future", "collect_all", "wait_all"]
