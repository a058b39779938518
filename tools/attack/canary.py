"""Functions that nothing may call: files name them, and what they note is looked for after every file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pullback as torch

#: What was done that loading a file must never do.
touched: list[str] = []

#: Python tells of these when they happen, whoever does them (see "Audit events table" in its manual).
_FORBIDDEN = (
    "os.system", "os.exec", "os.fork", "os.forkpty", "os.spawn", "os.posix_spawn", "subprocess.Popen",
    "pty.spawn", "socket.connect", "socket.bind", "ctypes.dlopen", "code.__new__", "function.__new__",
    "pickle.find_class", "marshal.loads", "os.remove", "os.rename", "os.truncate", "shutil.rmtree",
    "urllib.Request", "webbrowser.open", "builtins.input",
)  # fmt: skip

_watching = [False]

#: How the package names the calls of ops that it writes.
_OWN = f"{Path(torch.__file__).parent}{os.sep}core{os.sep}<call "


def touch(*arguments: Any) -> str:
    """Note a call."""
    touched.append(f"canary.touch was called with {len(arguments)} arguments")
    return "touched"


class Trap:
    """Notes that it is made, given a state, or asked for anything."""

    def __new__(cls, *arguments: Any) -> Trap:
        touched.append("canary.Trap was made")
        return super().__new__(cls)

    def __setstate__(self, state: Any) -> None:
        touched.append("canary.Trap was given a state")


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching[0]:
        return
    if event in _FORBIDDEN:
        touched.append(f"Python heard {event}")
    elif event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        touched.append(f"{arguments[0]} was opened for writing")
    elif event == "compile" and str(arguments[1]).startswith(_OWN):
        pass  # an op is called for the first time, and the package writes its call
    elif event == "exec" and getattr(arguments[0], "co_filename", "").startswith(_OWN):
        pass
    elif event in ("exec", "compile", "import"):
        touched.append(f"Python heard {event} of {arguments[0]!r}"[:200])


def install() -> None:
    """Have Python tell of what is done."""
    sys.addaudithook(_heard)


def watch(on: bool) -> None:
    """Begin or end to note what Python tells."""
    _watching[0] = on
