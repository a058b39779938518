"""Say how separately started processes find each other and become one MPI world.

What this module must do:

- make of ``env://``, ``tcp://host:port`` and ``file:///path`` a store that all processes see, as torch does;
- have one coordinator run, the launcher's or one that rank 0 starts, and tell its address by the store;
- start MPI in this process as a member of that world, with the coordinator in mpiexec's place.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..errors import with_note
from . import coordinator
from .store import FileStore, Store
from .tcp_store import TCPStore

#: The schemes of URLs that are served here.
BUILT_IN = ("env", "tcp", "file")
#: Under which key the store has the coordinator's address.
KEY = "pullback/coordinator"


#: What makes a store of a URL of another kind, by its scheme.
_handlers: dict[str, Callable[..., Iterator[tuple[Store, int, int]]]] = {}


def register_rendezvous_handler(scheme: str, handler: Callable[..., Any]) -> None:
    """Have URLs of a scheme served by a function.

    Parameters
    ----------
    scheme : str
    handler : callable
        A generator of (store, rank, world size), called with the URL.

    Raises
    ------
    RuntimeError
        There is one for the scheme.
    """
    if scheme in _handlers or scheme in BUILT_IN:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(
    url: str, rank: int = -1, world_size: int = -1, timeout: timedelta = timedelta(minutes=30), **_: Any
) -> Iterator[tuple[Store, int, int]]:
    """Yield the store of a URL, this process's rank and the number of processes."""
    if registered(url):
        handler = _handlers[urlsplit(url).scheme]
        yield from handler(url, rank=rank, world_size=world_size, timeout=timeout)
        return
    rank, world_size = numbers(url, rank, world_size)
    yield store_of(url, rank, world_size, timeout), rank, world_size


def _missing(scheme: str, what: str) -> ValueError:
    return ValueError(f"Error initializing torch.distributed using {scheme}:// rendezvous: {what}")


def registered(url: str) -> bool:
    """Return whether a program has registered what serves a URL."""
    return urlsplit(url).scheme in _handlers


def numbers(url: str, rank: int, world_size: int) -> tuple[int, int]:
    """Return rank and size with what was not given taken from the URL, or from the environment it means.

    Raises a ValueError or RuntimeError where they are told nowhere, or the URL is of no kind that is known.
    """
    if (parts := urlsplit(url)).scheme not in BUILT_IN:
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    query = parse_qs(parts.query)
    if rank == -1 and "rank" in query:
        rank = int(query["rank"][0])
    if world_size == -1 and "world_size" in query:
        world_size = int(query["world_size"][0])
    if parts.scheme == "tcp" and parts.port is None:
        raise _missing("tcp", "port number missing")
    if parts.scheme == "file" and not parts.path:
        raise _missing("file", "path missing")
    if parts.scheme != "env":
        if rank == -1:
            raise _missing(parts.scheme, "rank parameter missing")
        if world_size == -1:
            raise _missing(parts.scheme, "world size parameter missing")
        return rank, world_size
    return from_environment(rank, world_size)


#: By what names mpiexec tells a process its rank and their number: MPICH's and Intel's, Open MPI's, Slurm's.
LAUNCHED = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))


def under_mpiexec() -> tuple[int, int] | None:
    """Return rank and size as mpiexec told this process, None where it was not started so."""
    for rank, size in LAUNCHED:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def from_environment(rank: int, world_size: int) -> tuple[int, int]:
    """Return rank and size with what was not given read from the environment."""
    told = under_mpiexec()
    found = []
    for name, given, launched in (("RANK", rank, 0), ("WORLD_SIZE", world_size, 1)):
        if given != -1:
            found.append(given)
        elif name in os.environ:
            found.append(int(os.environ[name]))
        elif told is not None:
            found.append(told[launched])
        else:
            raise ValueError(
                "Error initializing torch.distributed using env:// rendezvous: environment variable "
                f"{name} expected, but not set"
            )
    return found[0], found[1]


def store_of(url: str, rank: int, world_size: int, timeout: timedelta) -> Store:
    """Return the store that a URL means; rank 0 has its values, unless the launcher does."""
    if (parts := urlsplit(url)).scheme == "file":
        return FileStore(parts.path, world_size)
    if parts.scheme == "tcp":
        assert parts.port is not None
        return TCPStore(parts.hostname or "localhost", parts.port, world_size, rank == 0, timeout)
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if name not in os.environ:
            raise _missing("env", f"environment variable {name} expected, but not set")
    launched = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return TCPStore(host, port, world_size, rank == 0 and not launched, timeout)


def start_coordinator(local: bool, report: bool) -> str:
    """Run a coordinator as a process of its own; return its address as the store has it.

    A `local` one is reached from this machine only; with `report` it tells which process was lost.
    """
    with socket.create_server(("127.0.0.1" if local else "", 0), backlog=2048) as listener:
        command = [sys.executable, "-I", "-S", str(Path(coordinator.__file__)), str(listener.fileno())]
        process = subprocess.Popen(
            command + ["--report"] * report, pass_fds=[listener.fileno()], start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=None if report else subprocess.DEVNULL,
        )  # fmt: skip
        # It ends by itself, after this process: nobody waits for it.
        process.returncode = 0
        return address_text(listener.getsockname()[1])


def address_text(port: int) -> str:
    """Return the address of a coordinator on this machine as the store has it."""
    return json.dumps({"host": socket.gethostname(), "port": port})


def address_of(text: bytes | str, master: str | None) -> tuple[str, int]:
    """Return host and port as this process reaches the coordinator."""
    told = json.loads(text)
    if told["host"] == socket.gethostname():
        return "127.0.0.1", told["port"]
    return master or told["host"], told["port"]


def meet(store: Store, rank: int) -> tuple[str, int]:
    """Return the coordinator's address, of one that rank 0 starts where there is none yet."""
    master = store.host if isinstance(store, TCPStore) else None
    if rank == 0 and not store.check([KEY]):
        store.set(KEY, start_coordinator(master in ("localhost", "127.0.0.1"), report=False))
    return address_of(store.get(KEY), master)


def start_mpi(address: tuple[str, int], rank: int) -> Any:
    """Start MPI as rank `rank` of the coordinator's world; return its communicator of all processes.

    An MPI library that takes its place only from its own mpiexec is a RuntimeError.
    """
    from . import mpi

    if "Open MPI" in mpi.library(start=False).Get_library_version():
        raise with_note(
            RuntimeError("Open MPI does not join processes that something other than its mpiexec started"),
            "Start the program with mpiexec -n N python -m pullback train.py, or install MPICH: "
            "pip install 'pullback[distributed]'",
        )
    names = ("PMI_FD", "PMI_RANK", "PMI_SIZE", "PMI_PORT", "PMI_ID")
    before = {name: os.environ.pop(name, None) for name in names}
    # The port tells MPI to ask for its rank and size over TCP.
    os.environ["PMI_PORT"], os.environ["PMI_ID"] = f"{address[0]}:{address[1]}", str(rank)
    try:
        return mpi.library().COMM_WORLD
    finally:
        # Programs that this process starts are none of the world.
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
