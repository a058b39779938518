"""Say what the methods of torch's ProcessGroup objects are told beside their tensors."""

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
    """Say how to reduce: `reduceOp`."""

    reduceOp: Any = ReduceOp.SUM


class AllreduceCoalescedOptions(AllreduceOptions):
    """Say how to reduce several tensors."""


class ReduceOptions(AllreduceOptions):
    """Say how to reduce, and in which process: `rootRank`."""

    rootRank: int = 0
    rootTensor: int = 0


class ReduceScatterOptions(AllreduceOptions):
    """Say how to reduce."""


class BroadcastOptions(_Options):
    """Say from which process: `rootRank`."""

    rootRank: int = 0
    rootTensor: int = 0


class GatherOptions(_Options):
    """Say in which process: `rootRank`."""

    rootRank: int = 0


class ScatterOptions(_Options):
    """Say from which process: `rootRank`."""

    rootRank: int = 0


class AllToAllOptions(_Options):
    """Nothing but the time."""


class BarrierOptions(_Options):
    """Nothing but the time."""

    device_ids: Any = None
    device: Any = None
