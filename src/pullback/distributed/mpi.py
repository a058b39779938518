"""Find the MPI library of this process, through mpi4py.

What this module must do:

- load mpi4py when it is first needed, and say how to install it where it is missing;
- let several threads call MPI;
- leave nothing behind in the system where processes are killed.
"""

import contextlib
import importlib.util
import os
import re
from typing import Any

from ..errors import with_note

NEEDED = "Install MPI and its bindings: pip install 'pullback[distributed]'"


def is_installed() -> bool:
    """Return whether mpi4py can be imported."""
    return importlib.util.find_spec("mpi4py") is not None


def library(start: bool = True) -> Any:
    """Return the module mpi4py.MPI; MPI is started where it is not and `start` asks for it.

    Raises a RuntimeError where mpi4py or an MPI library is missing.
    """
    try:
        import mpi4py

        mpi4py.rc.initialize = False
        mpi4py.rc.finalize = False
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise with_note(
            RuntimeError("groups of several processes need MPI, which cannot be loaded"), NEEDED
        ) from error
    if start and not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
    return MPI


def forget_shared_memory() -> None:
    """Take away the names of the memory that MPICH shares among the processes of a node.

    All of them have it mapped now, and it goes when the last one does, also where that is killed.
    """
    try:
        with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
            names = set(re.findall(r"/dev/shm/mpich_shm_\w+", maps.read()))
    except OSError:
        return
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
