"""torch.backends: what this build computes with, and the switches of libraries that it does without.

Products come from NumPy's BLAS; of the libraries that torch has switches for, none is here, and their
`is_available` says so. A switch can be set and read back as in torch; it changes nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..exclusions import answer_for

fp32_precision = "none"

#: What torch's top level says of the build.
has_lapack = has_spectral = True
has_mkl = has_openmp = False


def is_vulkan_available() -> bool:
    """Return False."""
    return False


def cudnn_is_acceptable(tensor: Any) -> bool:
    """Return False: no tensor is on a CUDA device."""
    return False


def compiled_with_cxx11_abi() -> bool:
    """Return True, as every torch of today; nothing here is compiled."""
    return True


@contextmanager
def __allow_nonbracketed_mutation() -> Iterator[None]:
    """Let switches be set inside; they always can be."""
    yield


def flags_frozen() -> bool:
    """Return False: switches can be set one by one."""
    return False


def disable_global_flags() -> None:
    """Do nothing: the switches of modules are always theirs to set."""


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


answer_for(
    globals(), "cpu", "cuda", "cudnn", "cusparselt", "kleidiai", "mha", "miopen", "mkl", "mkldnn", "mps",
    "nnpack", "openmp", "opt_einsum",
)  # fmt: skip
