"""The default group of processes that work together, for the layers that ask for it.

`pullback.distributed` makes groups; samplers and parallel modules below it ask which one there is.
"""

from typing import Any

from numpy import ndarray


class ProcessGroup:
    """Processes that work together; `pullback.distributed` makes its kinds.

    A program knows the means of communication by the name `backend`: ``"gloo"`` or ``"mpi"``.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend
        #: What programs have begun to exchange, by the address of the memory.
        self.under_way: dict[int, Any] = {}

    def rank(self) -> int:
        """Return the number of this process within the group."""
        raise NotImplementedError

    def size(self) -> int:
        """Return the number of processes in the group."""
        raise NotImplementedError

    def allreduce(self, tensors: object) -> Any:
        """Begin to put the sum over all processes into a tensor of each; return the work."""
        raise NotImplementedError

    def broadcast(self, tensors: object, root: int) -> Any:
        """Begin to put the value of process `root` of the group into a tensor of all; return the work."""
        raise NotImplementedError

    def exchange(self, array: ndarray, how: tuple[str, object]) -> None:
        """Exchange a contiguous array in place: ``("all_reduce", operation)``, of which None is the sum, or
        ``("broadcast", root)``.
        """
        raise NotImplementedError

    def begin_exchange(self, array: ndarray, how: tuple[str, object]) -> Any:
        """Begin an exchange in place; return the work."""
        raise NotImplementedError

    def allgather(self, output_tensors: object, input_tensor: object) -> Any:
        """Begin to put the value of each process into the tensor of its rank; return the work."""
        raise NotImplementedError


def exchange_in_place(tensor: object, how: tuple[str, object], group: ProcessGroup) -> bool:
    """Write an exchange of a tensor down in the program of the function that is traced, if one is, and return
    whether that is done, so that the exchange must not be made now.

    The front end of the compiler has a rule for it; otherwise it does nothing.
    """
    return False


_default: ProcessGroup | None = None


def default_group() -> ProcessGroup | None:
    """Return the group that `init_process_group` made, if any."""
    return _default


def set_default_group(group: ProcessGroup | None) -> None:
    """Make a group the default one, or leave none."""
    global _default
    _default = group


def needed_group() -> ProcessGroup:
    """Return the group that `init_process_group` made, or raise a ValueError where there is none."""
    if _default is None:
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    return _default
