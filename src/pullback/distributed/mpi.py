"""The MPI world of this process, through mpi4py.

What this module must do:

- load mpi4py when it is first needed, and say how to install it where it is missing;
- let several threads call MPI;
- leave MPI at the end of the program in an orderly way, and at once where the program fails.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from ..errors import with_note

NEEDED = "Install MPI and its bindings: pip install 'pullback[distributed]'"


def is_installed() -> bool:
    """Return whether mpi4py can be imported."""
    return importlib.util.find_spec("mpi4py") is not None


def library() -> Any:
    """Return the module mpi4py.MPI, with MPI started.

    Raises
    ------
    RuntimeError
        mpi4py or an MPI library is missing.
    """
    try:
        import mpi4py

        mpi4py.rc.thread_level = "multiple"
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise with_note(
            RuntimeError("pullback's groups of several processes need MPI, which cannot be loaded"), NEEDED
        ) from error
    return MPI
