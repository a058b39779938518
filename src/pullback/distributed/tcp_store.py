"""Define a store in one process that others reach over TCP: torch's TCPStore.

A request is a length and a JSON list of (operation, arguments, seconds to wait or None); the answer likewise.
Each client has a thread of the server's, so that waiting needs no more than waiting.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from ..array import locks
from .store import DEFAULT_TIMEOUT, DistNetworkError, DistStoreError, SharedTable, Store, Table

_LENGTH = struct.Struct("<Q")
#: What a client may ask for.
_SERVED = Table.CHANGES | {"find", "check", "num_keys", "list_keys", "queue_len"}


def _send(sock: socket.socket, value: Any) -> None:
    data = json.dumps(value, default=lambda content: {"bytes": content.decode("latin-1")}).encode()
    sock.sendall(_LENGTH.pack(len(data)) + data)


def _receive(sock: socket.socket) -> Any:
    (length,) = _LENGTH.unpack(_exactly(sock, _LENGTH.size))
    return json.loads(_exactly(sock, length), object_hook=lambda found: found["bytes"].encode("latin-1"))


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        if not (part := sock.recv(count - len(data))):
            raise ConnectionError("the store's other end is gone")
        data += part
    return bytes(data)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens: on this machine alone where the host is named so."""
    local = host in ("localhost", "127.0.0.1", "::1")
    try:
        return socket.create_server(("127.0.0.1" if local else "", port), backlog=2048)
    except OSError as error:
        raise DistNetworkError(
            f"The server socket has failed to listen on any local network address. port: {port}, useIpv6: "
            f"false, code: -{error.errno}, name: EADDRINUSE, message: address already in use"
        ) from error


class Server:
    """The side of a TCPStore that has the values."""

    def __init__(self, listener: socket.socket) -> None:
        self.shared = SharedTable()
        self.listener = listener
        self.port = listener.getsockname()[1]
        threading.Thread(target=self._accept, name="pullback store", daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(sock,), name="pullback store", daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        with sock:
            while True:
                try:
                    name, args, seconds = _receive(sock)
                    if name not in _SERVED:
                        raise ConnectionError(f"a client of the store asked for {name!r}")
                    if seconds is None:
                        answer = self.shared.do(name, args)
                    else:
                        answer = self.shared.wait(name, args, seconds)
                    _send(sock, answer)
                except OSError:
                    return

    def close(self) -> None:
        """Take no more clients."""
        try:
            # Closing alone would not end the wait for the next client.
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()


class TCPStore(Store):
    """A store that one process has and others reach.

    Parameters
    ----------
    host_name : str
    port : int
        0 takes a free one.
    world_size : int, optional
        How many processes will use it.
    is_master : bool
        Whether this process has the values.
    timeout : timedelta
        For how long to wait for the server, for clients, and for keys.
    wait_for_workers : bool
        Whether the constructor of the master waits until all have connected.
    multi_tenant, use_libuv
        Taken for torch's sake.
    master_listen_fd : int, optional
        The number of a socket that listens already.

    Raises
    ------
    DistNetworkError
        The port is in use, or the server cannot be reached in time.
    DistStoreError
        Not all clients came in time.
    """

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: timedelta = DEFAULT_TIMEOUT, wait_for_workers: bool = True, multi_tenant: bool = False,
        master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._timeout = timeout
        self._host = host_name
        self._server: Server | None = None
        self._socket: socket.socket | None = None
        if is_master:
            given = None if master_listen_fd is None else socket.socket(fileno=master_listen_fd)
            self._server = Server(given or listening(host_name, port))
            port = self._server.port
        self._port = port
        self._lock = locks.lock()
        self._socket = _connected(host_name, port, timeout.total_seconds())
        joined = self.add("init/", 1)
        if is_master and wait_for_workers and world_size is not None and world_size > 1:
            self._wait_for(world_size, joined)

    def _wait_for(self, count: int, joined: int) -> None:
        seconds = self._timeout.total_seconds()
        end = time.monotonic() + seconds
        while joined < count:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {round(seconds) + 1} seconds waiting for clients. "
                    f"{joined}/{count} clients joined."
                )
            time.sleep(1e-3)
            joined = int(self._do("find", ["init/"])[0])

    @property
    def host(self) -> str:
        """Return the host whose process has the values."""
        return self._host

    @property
    def port(self) -> int:
        """Return the port."""
        return self._port

    def _request(self, message: tuple[Any, ...]) -> Any:
        with self._lock:
            try:
                assert self._socket is not None
                _send(self._socket, message)
                return _receive(self._socket)
            except OSError as error:
                place = f"{self._host}:{self._port}"
                raise DistNetworkError(f"failed to reach the store at {place}: {error}") from error

    def _do(self, name: str, *args: Any) -> Any:
        return self._request((name, args, None))

    def _await(self, name: str, args: tuple[Any, ...], seconds: float) -> Any:
        return self._request((name, args, seconds))

    def _late(self, keys: Sequence[str], seconds: float) -> Exception:
        named = ", ".join(f"/{key}" for key in keys)
        return DistStoreError(f"wait timeout after {round(seconds * 1000)}ms, keys: {named}")

    def close(self) -> None:
        """Give up the connection, and the server where this process has it."""
        if self._socket is not None:
            self._socket.close()
        if self._server is not None:
            self._server.close()

    def __del__(self) -> None:
        if hasattr(self, "_socket"):
            self.close()

    def clone(self) -> TCPStore:
        """Return another connection to the same values."""
        return TCPStore(self._host, self._port, timeout=self._timeout)


def _connected(host: str, port: int, seconds: float) -> socket.socket:
    """Return a socket connected with the server, which may come up later."""
    end = time.monotonic() + seconds
    while True:
        try:
            sock = socket.create_connection((host, port), timeout=max(end - time.monotonic(), 0.01))
        except OSError as error:
            if time.monotonic() + 0.02 > end:
                raise DistNetworkError(
                    f"The client socket has timed out after {round(seconds * 1000)}ms while trying to "
                    f"connect to ({host}, {port})."
                ) from error
            time.sleep(0.02)
        else:
            sock.settimeout(None)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
