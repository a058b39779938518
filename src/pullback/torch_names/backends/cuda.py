"""torch.backends.cuda: not part of this build; its switches are there because programs set them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn


class _Matmul:
    """Switches of products, each with torch's default; other names are errors."""

    allow_tf32: bool
    allow_fp16_reduced_precision_reduction: bool
    allow_bf16_reduced_precision_reduction: bool
    allow_fp16_accumulation: bool
    fp32_precision: str

    def __init__(self) -> None:
        self.__dict__.update(
            allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
            allow_bf16_reduced_precision_reduction=True, allow_fp16_accumulation=False, fp32_precision="none",
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"Unknown attribute {name}")
        self.__dict__[name] = value


class _PlanCache:
    """The plans of cuFFT, of which there are none."""

    @property
    def size(self) -> NoReturn:
        raise AssertionError("Torch not compiled with CUDA enabled")

    max_size = size

    def clear(self) -> NoReturn:
        """Raise torch's error."""
        raise AssertionError("Torch not compiled with CUDA enabled")


matmul = _Matmul()
cufft_plan_cache = _PlanCache()

#: Kinds of attention that may be chosen on a CUDA device.
_attention = {
    "flash": True,
    "mem_efficient": True,
    "math": True,
    "cudnn": True,
    "fp16_bf16_reduction_math": False,
}


def is_built() -> bool:
    """Return False."""
    return False


def is_flash_attention_available() -> bool:
    """Return False."""
    return False


def flash_sdp_enabled() -> bool:
    """Return whether flash attention is allowed."""
    return _attention["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Allow or forbid flash attention."""
    _attention["flash"] = enabled


def mem_efficient_sdp_enabled() -> bool:
    """Return whether memory-efficient attention is allowed."""
    return _attention["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow or forbid memory-efficient attention."""
    _attention["mem_efficient"] = enabled


def math_sdp_enabled() -> bool:
    """Return whether attention by its formula is allowed."""
    return _attention["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Allow or forbid attention by its formula."""
    _attention["math"] = enabled


def cudnn_sdp_enabled() -> bool:
    """Return whether cuDNN's attention is allowed."""
    return _attention["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow or forbid cuDNN's attention."""
    _attention["cudnn"] = enabled


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Return whether attention by its formula may sum in half precision."""
    return _attention["fp16_bf16_reduction_math"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allow or forbid sums in half precision there."""
    _attention["fp16_bf16_reduction_math"] = enabled


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> Iterator[dict[str, bool]]:
    """Set what attention may be computed by for a ``with`` block."""
    before = dict(_attention)
    _attention.update(
        flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn
    )
    try:
        yield {}
    finally:
        _attention.update(before)


__all__ = [
    "allow_fp16_bf16_reduction_math_sdp", "cudnn_sdp_enabled", "cufft_plan_cache", "enable_cudnn_sdp",
    "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp", "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed", "is_built", "is_flash_attention_available", "math_sdp_enabled",
    "matmul", "mem_efficient_sdp_enabled", "sdp_kernel",
]  # fmt: skip
