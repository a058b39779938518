"""torch.distributed.checkpoint.api: the error of a checkpoint, which has those of all processes."""

import traceback
from typing import Any


class CheckpointException(BaseException):
    """Writing or reading a checkpoint failed in some processes.

    Parameters
    ----------
    msg : str
        Which step failed.
    failures : dict
        For each rank that failed, its error and what is known of where it was raised.
    """

    def __init__(self, msg: str, failures: dict[int, Any]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, Any]:
        """Return the errors, by rank."""
        return self._failures

    def __str__(self) -> str:
        parts = [f"CheckpointException ranks:{self._failures.keys()}\n"]
        for rank, (error, stack) in self._failures.items():
            parts.append(f"Traceback (most recent call last): (RANK {rank})\n")
            parts += traceback.format_list(stack)
            parts += traceback.format_exception_only(type(error), value=error)
        return "".join(parts)


CheckpointException.__module__ = "torch.distributed.checkpoint.api"

__all__ = ["CheckpointException"]
