"""torch.distributed.pipelining: a model whose parts run on different ranks, on microbatches in turn."""

from . import schedules
from .schedules import (
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleInterleavedZeroBubble,
    ScheduleLoopedBFS,
    ScheduleZBVZeroBubble,
)
from .schedules import _ScheduleForwardOnly as _ScheduleForwardOnly
from .split import Pipe, SplitPoint, pipe_split, pipeline
from .stage import PipelineStage, build_stage

ScheduleDualPipeV = vars(schedules)["ScheduleDualPipeV"]

__all__ = [
    "Pipe", "PipelineStage", "Schedule1F1B", "ScheduleDualPipeV", "ScheduleGPipe", "ScheduleInterleaved1F1B",
    "ScheduleInterleavedZeroBubble", "ScheduleLoopedBFS", "ScheduleZBVZeroBubble",
    "SplitPoint", "build_stage", "pipe_split", "pipeline",
]  # fmt: skip
