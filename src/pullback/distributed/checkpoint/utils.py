"""torch.distributed.checkpoint.utils: steps that all processes of a checkpoint take together.

An error of one of them is an error of all, which names the ranks that failed.
"""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from ...core.process_group import default_group
from ...serialization.load import _Trusting
from ...serialization.save import Pickler
from ..groups import get_rank, get_world_size
from ..objects import all_gather_object
from .api import CheckpointException

T = TypeVar("T")


def pickled(value: Any) -> bytes:
    """Return what stands for an object, with torch's names of classes, whether torch is there or not."""
    stream = io.BytesIO()
    Pickler(stream, 4, False).dump(value)
    return stream.getvalue()


def unpickled(content: bytes) -> Any:
    """Return the object."""
    return _Trusting(io.BytesIO(content), lambda pid: None, {}).load()


class _Failure:
    """Hold an error and where it was raised."""

    def __init__(self, error: BaseException) -> None:
        self.pair = (error, traceback.extract_tb(error.__traceback__))

    @classmethod
    def sendable(cls, error: BaseException) -> _Failure:
        """Return a failure that can be pickled: an error that cannot is told by its text."""
        failure = cls(error)
        try:
            pickled(error)
        except Exception:  # noqa: BLE001  # whatever its class does when it is pickled
            failure.pair = (RuntimeError(f"{type(error).__name__}: {error}"), failure.pair[1])
        return failure


class Together:
    """The processes of a group that write or read a checkpoint; where `alone`, this one.

    The rank `coordinator` in the group decides for all.
    """

    def __init__(self, group: Any, alone: bool, coordinator: int = 0) -> None:
        self.group = group
        self.alone = alone or default_group() is None
        self.rank = 0 if self.alone else get_rank(group)
        self.coordinator = 0 if self.alone else coordinator
        self.is_coordinator = self.rank == self.coordinator

    def everyone(self, step: str, act: Callable[[], T]) -> list[T]:
        """Return what a step gives in each process; a CheckpointException where it failed in some."""
        result: T | _Failure
        try:
            result = act()
        except Exception as error:  # noqa: BLE001  # raised below, in every process
            result = _Failure.sendable(error)
        found: list[Any] = [result]
        if not self.alone:
            found = [None] * get_world_size(self.group)
            all_gather_object(found, pickled(result), self.group)
            found = [unpickled(content) for content in found]
        failures = {rank: one.pair for rank, one in enumerate(found) if isinstance(one, _Failure)}
        if failures:
            raise CheckpointException(step, failures)
        return found

    def coordinated(self, step: str, act: Callable[[], T]) -> T:
        """Return what a step gives that the coordinator alone takes."""
        return self.everyone(step, lambda: act() if self.is_coordinator else None)[self.coordinator]  # type: ignore[return-value]
