"""Define the names by which programs ask for a means of communication, and which of them there are."""

from typing import Any

from ..errors import with_note
from . import mpi
from .reductions import ReduceOp


class Backend(str):
    """The name of a backend in lower case, as torch has it."""

    __slots__ = ()

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    FAKE = "fake"
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]  # noqa: RUF012  # torch's attribute, a list
    #: What serves a device where a program does not say, in torch's words.
    default_device_backend_map = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}  # noqa: RUF012  # likewise

    def __new__(cls, name: str) -> Any:
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, got {type(name)}")
        return getattr(cls, name.upper(), name.lower())


class BackendConfig:
    """Say which backend serves which device, of a name for all, or of ``"cpu:gloo,cuda:nccl"``."""

    def __init__(self, backend: str) -> None:
        name = checked_backend(backend)
        self.device_backend_map = {"cpu": name, "cuda": name}
        if ":" in str(backend):
            pairs = (pair.split(":", 1) for pair in str(backend).lower().split(","))
            self.device_backend_map = {device: Backend(served) for device, served in pairs}

    def __repr__(self) -> str:
        return ",".join(f"{device}:{name}" for device, name in self.device_backend_map.items())

    def get_device_backend_map(self) -> dict[str, str]:
        """Return the name of the backend of each device."""
        return self.device_backend_map


def get_default_backend_for_device(device: Any) -> str:
    """Return the backend that serves a device: ``"gloo"`` for the CPU.

    Raises
    ------
    ValueError
        No backend here serves it.
    """
    if str(getattr(device, "type", device)).partition(":")[0] != "cpu":
        raise ValueError(f"Default backend not registered for device : {device}")
    return "gloo"


def supports_complex(reduceOp: Any) -> bool:
    """Return whether a reduction has a meaning on complex numbers."""
    return reduceOp not in (
        ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PRODUCT, ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR,
    )  # fmt: skip


def checked_backend(backend: str | None) -> str:
    """Return the backend that is meant, ``"gloo"`` or ``"mpi"``, which both are MPI; refuse all others."""
    name = "gloo" if backend in (None, "", "undefined") else str(backend).lower()
    if ":" in name:  # "cpu:gloo,cuda:nccl": what serves the CPU
        devices = dict(one.split(":", 1) for one in name.split(","))
        if "cpu" not in devices:
            raise ValueError(f"the backends of {backend!r} have none for the CPU: write 'cpu:gloo'")
        name = devices["cpu"]
    if name in ("gloo", "mpi"):
        return name
    if name in Backend.backend_list:
        raise with_note(
            RuntimeError(f"Distributed package doesn't have {name.upper()} built in"),
            "Tensors are on the CPU here: ask for the backend 'gloo' or 'mpi'.",
        )
    raise ValueError(f"Unknown backend type {name}")


def is_available() -> bool:
    """Return whether groups of several processes can be made: whether mpi4py is installed."""
    return mpi.is_installed()


#: MPI works under gloo's name, too.
is_gloo_available = is_mpi_available = is_available


def is_nccl_available() -> bool:
    """Return whether processes can work together by NCCL, UCC or XCCL: False."""
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend: str) -> bool:
    """Return whether processes can work together by `backend`."""
    return backend.lower() in ("gloo", "mpi") and mpi.is_installed()
