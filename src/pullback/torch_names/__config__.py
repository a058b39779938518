"""torch.__config__: how the package was built, and by how many threads it computes."""

import numpy as np

from ..array.threads import get_num_threads
from .version import __version__

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Name the libraries that compute."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    parts = (f"NumPy {np.__version__}", f"BLAS: {blas['name']} {blas['version']}", "LAPACK is enabled")
    return f"pullback {__version__}, built with:\n" + "".join(f"  - {part}\n" for part in parts)


def parallel_info() -> str:
    """Name the numbers of threads."""
    return f"ATen/Parallel:\n\tat::get_num_threads() : {get_num_threads()}\n"
