"""Run a small program in strange environments: options of Python, variables, limits of the shell.

It computes, compiles, saves and loads; it must end well and say nothing on stderr.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pullback as torch

PROGRAM = """
import io
import pullback as torch
x = torch.randn(4, 3, requires_grad=True)
(x.relu() * 2).sum().backward()
assert x.grad.shape == (4, 3)
step = torch.compile(lambda v: (v * 3 + 1).sum())
assert abs(float(step(torch.ones(5))) - 20) < 1e-5
stream = io.BytesIO()
torch.save({"x": x}, stream)
stream.seek(0)
assert torch.equal(torch.load(stream)["x"], x)
print(repr(torch.tensor([1.5, float("nan")])))
"""

#: By what is strange: Python's options, and variables; None takes one away.
ENVIRONMENTS: dict[str, tuple[tuple[str, ...], dict[str, str | None]]] = {
    "nothing": ((), {}),
    "-O": (("-O",), {}),
    "-OO": (("-OO",), {}),
    "-X dev": (("-X", "dev"), {}),
    "-W error": (("-W", "error"), {}),
    "-bb": (("-bb",), {}),
    "-I": (("-I",), {}),
    "-X utf8=0": (("-X", "utf8=0"), {}),
    "no HOME": ((), {"HOME": None, "XDG_CACHE_HOME": None}),
    "a HOME that is absent": ((), {"HOME": "/nonexistent"}),
    "a HOME that is a file": ((), {"HOME": "/etc/passwd"}),
    "a HOME of no characters": ((), {"HOME": ""}),
    "the locale C": ((), {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}),
    "the locale of Turkey": ((), {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
    "a cache folder that is a file": ((), {"PULLBACK_CACHE_DIR": "/etc/passwd"}),
    "a cache folder that cannot be": ((), {"PULLBACK_CACHE_DIR": "/proc/nothing/here"}),
    "a cache folder with a strange name": ((), {"PULLBACK_CACHE_DIR": "/tmp/\udcff\n é"}),
    "no cache": ((), {"PULLBACK_CACHE": "0"}),
    "no native code": ((), {"PULLBACK_NATIVE": "0"}),
    "hash seed 0": ((), {"PYTHONHASHSEED": "0"}),
    "debugged allocation": ((), {"PYTHONMALLOC": "debug"}),
    "one thread": ((), {"OMP_NUM_THREADS": "1"}),
    "strange threads": ((), {"OMP_NUM_THREADS": "many"}),
    "no PATH": ((), {"PATH": None}),
    "no temporary folder": ((), {"TMPDIR": "/nonexistent"}),
}

#: Limits of a shell, in its units.
LIMITS = ("ulimit -n 16", "ulimit -s 1024", "ulimit -c 0", "ulimit -f 0", "ulimit -v 4000000")


def environments(count: int | None = None) -> list[str]:
    """Run a small program in strange environments; where it failed."""
    wrong = []
    todo: list[tuple[str, list[str], dict[str, str | None]]] = [
        (name, [sys.executable, *options, "-c", _found(PROGRAM)], variables)
        for name, (options, variables) in ENVIRONMENTS.items()
    ]
    for limit in LIMITS:
        command = ["sh", "-c", f'{limit} && exec "$0" "$@"', sys.executable, "-c", _found(PROGRAM)]
        todo.append((limit, command, {"PULLBACK_CACHE": "0"}))
    step = 1 if count is None else max(1, len(todo) // count)
    for name, command, variables in todo[::step]:
        environment = {**os.environ}
        for key, value in variables.items():
            if value is None:
                environment.pop(key, None)
            else:
                environment[key] = value
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd="/")
        if run.returncode or run.stderr or "nan" not in run.stdout:
            wrong.append(f"{name}: {run.returncode} {run.stderr[-600:]}")
    return wrong


def _found(program: str) -> str:
    """Have a program find this package whatever Python's options are."""
    return f"import sys; sys.path[:0] = {[str(Path(torch.__file__).parents[1])]!r}\n{program}"
