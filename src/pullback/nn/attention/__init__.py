"""torch.nn.attention: by which of its implementations `scaled_dot_product_attention` is computed.

On the CPU there are two: "flash", one op that keeps no weights, and "math", put together from others. The
switches are those of `torch.backends.cuda`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum

from ...torch_names.backends import cuda

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

#: Whether torch says why a bias could not be computed with by one kernel; here it always can.
WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(Enum):
    """The implementations."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value

    __index__ = __int__


#: The switches, in torch's order: whether an implementation is allowed, and how that is set.
_SWITCHES: dict[SDPBackend, tuple[Callable[[], bool], Callable[[bool], None]]] = {
    SDPBackend.CUDNN_ATTENTION: (cuda.cudnn_sdp_enabled, cuda.enable_cudnn_sdp),
    SDPBackend.FLASH_ATTENTION: (cuda.flash_sdp_enabled, cuda.enable_flash_sdp),
    SDPBackend.EFFICIENT_ATTENTION: (cuda.mem_efficient_sdp_enabled, cuda.enable_mem_efficient_sdp),
    SDPBackend.MATH: (cuda.math_sdp_enabled, cuda.enable_math_sdp),
}


def _cur_sdpa_kernel_backends() -> list[SDPBackend]:
    """Return the implementations that are allowed now."""
    return [backend for backend, (enabled, _) in _SWITCHES.items() if enabled()]


def _allow(backends: list[SDPBackend]) -> None:
    for backend, (_, enable) in _SWITCHES.items():
        enable(backend in backends)


@contextmanager
def sdpa_kernel(
    backends: list[SDPBackend] | SDPBackend, set_priority: bool = False
) -> Iterator[dict[str, bool]]:
    """Allow only some implementations in a ``with`` block.

    Parameters
    ----------
    backends : SDPBackend or list of SDPBackend
    set_priority : bool
        Taken for torch's sake: on the CPU "flash" goes before "math".

    Raises
    ------
    RuntimeError
        In the block, from a call that none of them can do.
    """
    if not isinstance(backends, list | SDPBackend):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    before = _cur_sdpa_kernel_backends()
    _allow(backends if isinstance(backends, list) else [backends])
    try:
        yield {}
    finally:
        _allow(before)


SDPBackend.__module__ = "torch.nn.attention"
