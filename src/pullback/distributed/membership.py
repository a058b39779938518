"""Keep the place of this process in a job: it joins, learns that another is lost, and tells why it leaves.

What this module must do:

- make an error of each wait for a process that is gone, with its rank and its traceback;
- where a wait takes too long, find out which processes have not come, and what they do instead;
- tell the others why this process leaves.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from typing import Any

from ..array import locks
from ..errors import with_note

#: For how many seconds a wait goes on although a process of the group has ended its program.
GRACE = 5.0
#: For how many seconds to wait for other processes to tell where they are.
ANSWER = 2.0


class Membership:
    """The connection of this process with the coordinator of its job."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size
        self.hosts: list[str] = []
        self.under_mpiexec = False
        self.store: Any = None
        #: How many collectives of a group this process has begun, and the name of the last, by group.
        self.calls: dict[str, tuple[int, str]] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self._answered = locks.condition()
        self.error: BaseException | None = None
        #: When processes ended their programs, by rank.
        self.left: dict[int, float] = {}
        self._socket: socket.socket | None = None
        self._said = False
        self._lock = locks.lock()
        self.owner = os.getpid()

    def join(self, address: tuple[str, int], seconds: float) -> None:
        """Connect with the coordinator and wait until all processes have.

        It is a RuntimeError that they did not within `seconds`, or that their numbers contradict each other.
        """
        end = time.monotonic() + seconds
        self._socket = socket.create_connection(address, timeout=seconds)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        place = {"pid": os.getpid(), "host": socket.gethostname()}
        self._send({"event": "join", "rank": self.rank, "size": self.size, **place})
        lines = self._socket.makefile("r")
        self._socket.settimeout(max(end - time.monotonic(), 0.01))
        try:
            text = lines.readline()
        except TimeoutError:
            raise RuntimeError(
                f"Timed out after {round(seconds)} seconds waiting for clients: {self.size} processes were "
                "to join, and not all did."
            ) from None
        message: dict[str, Any] = {"why": "the coordinator of the job ended"}
        if text:
            message = json.loads(text)
        if message.get("event") != "ready":
            raise RuntimeError(f"the processes cannot join: {message['why']}")
        self.hosts = message["hosts"]
        self._socket.settimeout(None)
        name = "pullback membership"
        threading.Thread(target=self._listen, args=(lines,), name=name, daemon=True).start()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._socket is not None
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            self.error = self.error or RuntimeError("the coordinator of the job cannot be reached")

    def _listen(self, lines: Any) -> None:
        """Take what the coordinator tells until it ends."""
        for text in lines:
            message = json.loads(text)
            if message["event"] == "left":
                self.left[message["rank"]] = time.monotonic()
            elif message["event"] == "lost" and self.error is None:
                self.error = lost(message)
            elif message["event"] == "where":
                count, last = self.calls.get(message["group"], (0, ""))
                place = {"count": count, "last": last, "stack": main_stack()}
                self._send({"event": "here", "asker": message["asker"], **place})
            elif message["event"] == "here":
                with self._answered:
                    self._answers[message["rank"]] = message
                    self._answered.notify_all()
        if self.error is None and not self._said:
            self.error = RuntimeError("the launcher of the job is gone")
            if "TORCHELASTIC_RUN_ID" in os.environ:
                os.kill(os.getpid(), signal.SIGTERM)

    def check(self, ranks: Any) -> None:
        """Raise the error of a wait for `ranks` that cannot end: one is lost, or has ended a while ago."""
        if self.error is not None:
            raise self.error
        if self.left:
            now = time.monotonic()
            for rank, when in self.left.items():
                if rank in ranks and now - when > GRACE:
                    raise RuntimeError(
                        f"Connection closed by peer: rank {rank} has ended its program, and rank {self.rank} "
                        "waits for it"
                    )

    def explain_delay(self, ranks: Sequence[int], group: str, number: int) -> str:
        """Return which of `ranks` have not begun a group's `number`-th collective, and where they are."""
        told = [f"rank {rank} has ended its program" for rank in self.left if rank in ranks]
        for rank, answer in self._asked(ranks, group).items():
            if answer is None:
                told.append(f"rank {rank} does not answer")
            elif answer["count"] < number:
                last = f"; its last was {answer['last']}" if answer["last"] else ""
                told.append(f"rank {rank} has not begun it{last}. It is here:\n{answer['stack']}")
        return "\n".join(told)

    def explain_silence(self, rank: int, group: str) -> str:
        """Return where a process is whose message, or whose receipt of one, this one waits for."""
        if rank in self.left:
            return f"rank {rank} has ended its program"
        if (answer := self._asked([rank], group).get(rank)) is None:
            return f"rank {rank} does not answer"
        return f"rank {rank} is here:\n{answer['stack']}"

    def _asked(self, ranks: Sequence[int], group: str) -> dict[int, Any]:
        """Ask processes how many collectives of a group they have begun and where they are.

        One that does not answer in time has None.
        """
        others = {rank for rank in ranks if rank != self.rank and rank not in self.left}
        self._answers.clear()
        self._send({"event": "where", "group": group})
        with self._answered:
            self._answered.wait_for(lambda: others <= set(self._answers), ANSWER)
            answers = dict(self._answers)
        return {rank: answers.get(rank) for rank in sorted(others)}

    def leave(self, error: BaseException | None = None) -> None:
        """Tell the coordinator that this process ends: well, or by an error."""
        with self._lock:
            if self._said or self._socket is None or os.getpid() != self.owner:
                return
            self._said = True
        if error is None:
            self._send({"event": "left"})
        else:
            text = "".join(traceback.format_exception(error))
            why = f"raised {type(error).__name__}: {error}"
            self._send({"event": "failed", "traceback": text, "why": why})


def main_stack() -> str:
    """Return where the main thread of this process is, as lines of a traceback."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    return "" if frame is None else "".join(traceback.format_stack(frame))


def lost(message: dict[str, Any]) -> RuntimeError:
    """Return the error of every wait after a process was lost."""
    error = RuntimeError(f"Connection closed by peer: {message['why']}")
    if message["traceback"]:
        error = with_note(error, f"Its traceback was:\n{message['traceback']}")
    return error


_current: Membership | None = None


def set_current(member: Membership) -> None:
    """Make a membership that of this process."""
    global _current
    _current = member


def current() -> Membership | None:
    """Return the membership of this process, if it has joined a job."""
    return _current


def check(ranks: Any) -> None:
    """Raise the error of a wait for processes that are gone."""
    if _current is not None:
        _current.check(ranks)
