"""Run the server by which processes become one MPI world, and by which they learn that one of them is gone.

It serves two protocols, told apart by the first line of a connection:

- MPI's own process management interface, in its first version ("PMI-1" of MPICH and Intel MPI; A. Balaji
  et al. 2010, "PMI: A scalable parallel process-management interface for extreme-scale systems"): MPI's start
  asks for rank, size and what other processes have put down. mpiexec serves the same to the processes that it
  starts; this serves processes that were started by anything else.
- Lines of JSON from `membership`: a process joins, waits until all have joined, and says before it leaves
  why. A connection that ends without this is a process that was killed: the others are told which.

The file imports the standard library alone: rank 0 runs it as a program of its own where there is no
launcher, so that it outlives every rank, and ends by itself when all are gone.
"""

import json
import selectors
import socket
import sys
import uuid
from collections.abc import Callable
from typing import Any

#: For how many seconds the first process may take to connect.
PATIENCE = 60.0


class Connection:
    """One connection: its socket, and what has come of a line."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.received = b""
        self.rank: int | None = None
        self.left = False

    def send(self, text: str) -> None:
        """Send a line; one whose reader is gone is noticed where it is read."""
        try:
            self.sock.sendall(text.encode() + b"\n")
        except OSError:
            self.left = self.rank is None


class Coordinator:
    """Serve the processes of one job, which connect to `listener`; `report` is told of one that is lost."""

    def __init__(self, listener: socket.socket, report: Callable[[str], None] | None = None) -> None:
        self.selector = selectors.DefaultSelector()
        self.listener = listener
        self.report = report
        self.members: dict[int, Connection] = {}
        self.places: dict[int, dict[str, Any]] = {}
        self.size = 0
        # MPI names the memory that processes of a node share after this name.
        self.name = f"pullback-{uuid.uuid4().hex}"
        self.put_down: dict[str, str] = {}
        self.waiting: list[Connection] = []
        self.connected = 0
        self.started = False
        self.failed = False
        self.closed = False

    def serve(self, patience: float | None = PATIENCE) -> None:
        """Serve until all processes that connected are gone, or none has come for `patience` seconds."""
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        while not self.closed:
            events = self.selector.select(None if self.connected else patience)
            if not events:
                break
            for key, _ in events:
                if key.data is None:
                    self.accept()
                else:
                    self.read(key.data)
            if self.started and not self.connected:
                break
        self.listener.close()

    def accept(self) -> None:
        sock, _ = self.listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.selector.register(sock, selectors.EVENT_READ, Connection(sock))
        self.connected += 1
        self.started = True

    def read(self, connection: Connection) -> None:
        """Take what has come over a connection, line by line."""
        try:
            data = connection.sock.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.close(connection)
            return
        *lines, connection.received = (connection.received + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace")
            if text.startswith("{"):
                self.told(connection, json.loads(text))
            else:
                self.asked(connection, text)

    def close(self, connection: Connection) -> None:
        self.selector.unregister(connection.sock)
        connection.sock.close()
        self.connected -= 1
        if (rank := connection.rank) is not None and self.members.get(rank) is connection:
            del self.members[rank]
            if not connection.left:
                self.lost(rank, "", "ended without a word: it was killed, or it crashed")

    def lost(self, rank: int, traceback: str, why: str) -> None:
        """Tell all others that a process failed; of several the first is the cause."""
        place = self.places.get(rank, {})
        where = f"rank {rank} (process {place.get('pid')} on {place.get('host')})"
        if self.report is not None and not self.failed:
            self.report(f"{where} {why}")
        self.failed = True
        self.tell({"event": "lost", "rank": rank, "why": f"{where} {why}", "traceback": traceback})

    def tell(self, message: dict[str, Any]) -> None:
        text = json.dumps(message)
        for connection in list(self.members.values()):
            connection.send(text)

    # ------------------------------------------------------------------------------------------- membership
    def told(self, connection: Connection, message: dict[str, Any]) -> None:
        """Act on a line of a process."""
        if (event := message["event"]) == "join":
            self.join(connection, message)
        elif connection.rank is None:
            return
        elif event == "left":
            connection.left = True
            self.tell({"event": "left", "rank": connection.rank})
        elif event == "where":
            self.tell({**message, "asker": connection.rank})
        elif event == "here":
            if (asker := self.members.get(message["asker"])) is not None:
                asker.send(json.dumps({**message, "rank": connection.rank}))
        elif event == "failed":
            connection.left = True
            self.lost(connection.rank, message["traceback"], message["why"])

    def join(self, connection: Connection, message: dict[str, Any]) -> None:
        rank, size = message["rank"], message["size"]
        error = None
        if self.size not in (0, size):
            error = f"rank {rank} was told of {size} processes, and others of {self.size}"
        elif rank in self.members:
            error = f"there are two processes of rank {rank}"
        if error is not None:
            connection.send(json.dumps({"event": "refused", "why": error}))
            return
        self.size = size
        connection.rank = rank
        self.members[rank] = connection
        self.places[rank] = message
        if len(self.members) == size:
            self.tell({"event": "ready", "hosts": [self.places[rank]["host"] for rank in range(size)]})

    # -------------------------------------------------------------------------------------------------- PMI
    def asked(self, connection: Connection, text: str) -> None:
        """Answer a line of MPI's start."""
        words = dict(word.split("=", 1) for word in text.split() if "=" in word)
        if (command := words.get("cmd", "")) == "put":
            # A value may have spaces: it is the rest of the line.
            self.put_down[words["key"]] = text.split("value=", 1)[1]
            connection.send("cmd=put_result rc=0 msg=success")
        elif command == "get":
            key = words["key"]
            value = self.mapping() if key == "PMI_process_mapping" else self.put_down.get(key)
            if value is None:
                connection.send(f"cmd=get_result rc=-1 msg=key_{key}_not_found value=unknown")
            else:
                connection.send(f"cmd=get_result rc=0 msg=success value={value}")
        elif command == "barrier_in":
            self.waiting.append(connection)
            if len(self.waiting) == self.size:
                for one in self.waiting:
                    one.send("cmd=barrier_out rc=0")
                self.waiting.clear()
        else:
            for answer in self.answers(command, words):
                connection.send(answer)

    def answers(self, command: str, words: dict[str, str]) -> list[str]:
        """Return the lines that answer a question about the job."""
        if command == "initack":
            place = [f"cmd=set size={self.size}", f"cmd=set rank={words['pmiid']}"]
            return ["cmd=initack rc=0", *place, "cmd=set debug=0"]
        known = {
            "init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
            "get_maxes": "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=4096",
            "get_appnum": "cmd=appnum appnum=0",
            "get_my_kvsname": f"cmd=my_kvsname kvsname={self.name}",
            "get_universe_size": f"cmd=universe_size size={self.size}",
            "finalize": "cmd=finalize_ack rc=0",
        }
        return [known.get(command, f"cmd={command}_result rc=-1 msg=not_served")]

    def mapping(self) -> str:
        """Return which ranks share a node: blocks of (first node, number of nodes, ranks on each)."""
        nodes: dict[str, int] = {}
        blocks: list[list[int]] = []
        for rank in range(self.size):
            node = nodes.setdefault(self.places[rank]["host"], len(nodes))
            if blocks and blocks[-1][0] == node:
                blocks[-1][1] += 1
            else:
                blocks.append([node, 1])
        return "(vector," + ",".join(f"({node},1,{count})" for node, count in blocks) + ")"


def main() -> None:
    """Serve on the listening socket whose number is the first argument."""

    def report(sentence: str) -> None:
        sys.stderr.write(f"pullback: {sentence}\n")
        sys.stderr.flush()

    listener = socket.socket(fileno=int(sys.argv[1]))
    Coordinator(listener, report if "--report" in sys.argv else None).serve()


if __name__ == "__main__":
    main()
