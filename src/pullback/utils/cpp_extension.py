"""torch.utils.cpp_extension: extensions in C++ or CUDA, which are built on torch's C++ library.

Libraries import this to build kernels where there is a GPU; here there is nothing to build them on.
"""

from ..torch_names.absent_devices import refusing, uninstantiable

#: Where CUDA and cuDNN are installed: nowhere.
CUDA_HOME = CUDNN_HOME = ROCM_HOME = None

_TEXT = "{} needs torch's C++ library, which pullback does not have."

globals().update(
    refusing(
        "CppExtension CUDAExtension load load_inline", "torch.utils.cpp_extension", RuntimeError,
        _TEXT.format("an extension in C++ or CUDA")
    )
    | uninstantiable(["BuildExtension"], "torch.utils.cpp_extension", _TEXT)
)  # fmt: skip


def include_paths(device_type: str = "cpu", torch_include_dirs: bool = True) -> list[str]:
    """Return the folders of headers: none."""
    return []


def library_paths(
    device_type: str = "cpu", torch_include_dirs: bool = True, cross_target_platform: str | None = None
) -> list[str]:
    """Return the folders of libraries: none."""
    return []


__all__ = [  # noqa: F822  # five are made above
    "CUDA_HOME", "CUDNN_HOME", "ROCM_HOME", "BuildExtension", "CUDAExtension", "CppExtension",
    "include_paths", "library_paths", "load", "load_inline",
]  # fmt: skip
