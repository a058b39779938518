"""What the methods of torch's ProcessGroup objects are told beside their tensors."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from .reductions import ReduceOp

_DEFAULT = timedelta(milliseconds=-1)


class _Options:
    """Settings as attributes."""

    def __init__(self, **settings: Any) -> None:
        self.timeout = _DEFAULT
        self.asyncOp = True
        self.__dict__.update(settings)


class AllreduceOptions(_Options):
    """How to reduce: `reduceOp`."""

    reduceOp: Any = ReduceOp.SUM


class AllreduceCoalescedOptions(AllreduceOptions):
    """How to reduce several tensors."""


class ReduceOptions(AllreduceOptions):
    """How to reduce, and in which process: `rootRank`."""

    rootRank: int = 0
    rootTensor: int = 0


class ReduceScatterOptions(AllreduceOptions):
    """How to reduce."""


class BroadcastOptions(_Options):
    """From which process: `rootRank`."""

    rootRank: int = 0
    rootTensor: int = 0


class GatherOptions(_Options):
    """In which process: `rootRank`."""

    rootRank: int = 0


class ScatterOptions(_Options):
    """From which process: `rootRank`."""

    rootRank: int = 0


class AllToAllOptions(_Options):
    """Nothing but the time."""


class BarrierOptions(_Options):
    """Nothing but the time."""

    device_ids: Any = None
    device: Any = None
