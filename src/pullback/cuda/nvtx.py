"""torch.cuda.nvtx in a build without CUDA: marks cannot be set."""

from __future__ import annotations

from ..absent import refusing

globals().update(
    refusing("mark range range_end range_pop range_push range_start", "torch.cuda.nvtx", RuntimeError,
             "NVTX functions not installed. Are you sure you have a CUDA build?")
)  # fmt: skip
