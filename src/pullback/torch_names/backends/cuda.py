"""torch.backends.cuda: not part of this build; its switches are there because programs set them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from ...array import process
from ...errors import with_name


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


def _switch(
    kind: str, asked: str, set_by: str, meaning: str
) -> tuple[Callable[[], bool], Callable[[bool], None]]:
    """Return a function that says whether a kind of attention is allowed, and one that sets it, so called."""

    def is_allowed() -> bool:
        return _attention[kind]

    def allow(enabled: bool) -> None:
        if enabled is not _attention[kind]:
            _attention[kind] = enabled
            process.changed()

    return (
        with_name(is_allowed, asked, f"Return whether {meaning} is allowed."),
        with_name(allow, set_by, f"Allow or forbid {meaning}."),
    )


flash_sdp_enabled, enable_flash_sdp = _switch(
    "flash", "flash_sdp_enabled", "enable_flash_sdp", "flash attention"
)
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch(
    "mem_efficient", "mem_efficient_sdp_enabled", "enable_mem_efficient_sdp", "memory-efficient attention"
)
math_sdp_enabled, enable_math_sdp = _switch(
    "math", "math_sdp_enabled", "enable_math_sdp", "attention by its formula"
)
cudnn_sdp_enabled, enable_cudnn_sdp = _switch(
    "cudnn", "cudnn_sdp_enabled", "enable_cudnn_sdp", "cuDNN's attention"
)
fp16_bf16_reduction_math_sdp_allowed, allow_fp16_bf16_reduction_math_sdp = _switch(
    "fp16_bf16_reduction_math", "fp16_bf16_reduction_math_sdp_allowed", "allow_fp16_bf16_reduction_math_sdp",
    "a sum in half precision in attention by its formula",
)  # fmt: skip


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
