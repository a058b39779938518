"""torch.utils.collect_env: what a bug report says of the machine, the Python and the packages.

Nothing is run to find it out: what only other programs could tell is "Could not collect", as in torch where
they are missing.
"""

import importlib.metadata
import platform
import sys
from typing import NamedTuple

from ..torch_names import torch_version, version

_UNKNOWN = "Could not collect"
#: Packages that are listed.
_PACKAGES = ("llvmlite", "ml_dtypes", "mypy", "numpy", "onnx", "optree", "pullback", "scipy", "torch")


class SystemEnv(NamedTuple):
    """Describe the machine and the installed packages."""

    torch_version: str
    is_debug_build: str
    cuda_compiled_version: str
    gcc_version: str | None
    clang_version: str | None
    cmake_version: str | None
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: str
    cuda_runtime_version: str | None
    cuda_module_loading: str
    nvidia_driver_version: str | None
    nvidia_gpu_models: str | None
    cudnn_version: str | None
    is_xpu_available: str
    pip_version: str
    pip_packages: str
    conda_packages: str
    hip_compiled_version: str
    hip_runtime_version: str
    miopen_runtime_version: str
    caching_allocator_config: str
    is_xnnpack_available: str
    cpu_info: str


def get_env_info() -> SystemEnv:
    """Collect it."""
    release = platform.freedesktop_os_release() if sys.platform == "linux" else {}
    system = release.get("PRETTY_NAME", f"{platform.system()} {platform.release()}")
    found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions() if d.metadata["Name"]}
    listed = sorted(f"[pip3] {name}=={found[name]}" for name in found if name.lower() in _PACKAGES)
    line = sys.version.replace("\n", " ")
    return SystemEnv(
        torch_version=str(torch_version.__version__), is_debug_build=str(version.debug),
        cuda_compiled_version="None", gcc_version=None, clang_version=None, cmake_version=None,
        os=f"{system} ({platform.machine()})", libc_version="-".join(platform.libc_ver()),
        python_version=f"{line} ({sys.maxsize.bit_length() + 1}-bit runtime)",
        python_platform=platform.platform(), is_cuda_available="False", cuda_runtime_version=None,
        cuda_module_loading="N/A", nvidia_driver_version=None, nvidia_gpu_models=None, cudnn_version=None,
        is_xpu_available="False", pip_version="pip3", pip_packages="\n".join(listed), conda_packages="",
        hip_compiled_version="N/A", hip_runtime_version="N/A", miopen_runtime_version="N/A",
        caching_allocator_config="N/A", is_xnnpack_available="False",
        cpu_info=platform.processor() or platform.machine(),
    )  # fmt: skip


_LAYOUT = """PyTorch version: {torch_version}
Is debug build: {is_debug_build}
CUDA used to build PyTorch: {cuda_compiled_version}
ROCM used to build PyTorch: {hip_compiled_version}

OS: {os}
GCC version: {gcc_version}
Clang version: {clang_version}
CMake version: {cmake_version}
Libc version: {libc_version}

Python version: {python_version}
Python platform: {python_platform}
Is CUDA available: {is_cuda_available}
CUDA runtime version: {cuda_runtime_version}
CUDA_MODULE_LOADING set to: {cuda_module_loading}
GPU models and configuration: {nvidia_gpu_models}
Nvidia driver version: {nvidia_driver_version}
cuDNN version: {cudnn_version}
Is XPU available: {is_xpu_available}
HIP runtime version: {hip_runtime_version}
MIOpen runtime version: {miopen_runtime_version}
Is XNNPACK available: {is_xnnpack_available}
Caching allocator config: {caching_allocator_config}

CPU:
{cpu_info}

Versions of relevant libraries:
{pip_packages}
{conda_packages}"""


def pretty_str(envinfo: SystemEnv) -> str:
    """Return it as text."""
    known = {name: _UNKNOWN if value is None else value for name, value in envinfo._asdict().items()}
    for name in ("pip_packages", "conda_packages"):
        known[name] = known[name] or f"[{name.split('_')[0]}] {_UNKNOWN}"
    return _LAYOUT.format(**known)


def get_pretty_env_info() -> str:
    """Return the text of what is known here and now."""
    return pretty_str(get_env_info())


def main() -> None:
    """Print it."""
    print("Collecting environment information...")  # noqa: T201  # its task
    print(get_pretty_env_info())  # noqa: T201  # its task


if __name__ == "__main__":
    main()

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main", "pretty_str"]
