"""Run a real use of each library in `requirements.txt`, in a fresh environment where torch is pullback.

    python -m tools.works_with                   # all of them, in an environment made for it
    python -m tools.works_with --write           # the same, and the table of docs/works-with.md anew
    python -m tools.works_with timm skorch       # these two
    python -m tools.works_with --small --here    # the small ones, in the environment of this Python

pullback is installed from this folder, then torch by `python -m pullback install-torch`, then the libraries
by pip with what they declare, torch among it. Each program of `programs/` is run by `python` and by `pytest`.
The exit status says whether all of them ended well.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/works-with.md"
BEGIN, END = "<!-- what tools/works_with wrote: begin -->", "<!-- end -->"
#: Between the libraries that CI runs and the others.
LINE = "# ---"


class Library(NamedTuple):
    """A pinned library: its distribution, its version, and whether CI runs it."""

    name: str
    version: str
    small: bool

    @property
    def program(self) -> Path:
        return HERE / "programs" / f"{self.name.removesuffix('-ppl')}_program.py"

    @property
    def about(self) -> str:
        """Return what its program does, in a sentence."""
        return (ast.get_docstring(ast.parse(self.program.read_text(encoding="utf-8"))) or "").rstrip(".")


def pinned() -> list[Library]:
    """Return the libraries of `requirements.txt`."""
    found, small = [], True
    for line in (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines():
        small = small and line != LINE
        if "==" in line:
            found.append(Library(*line.split("=="), small))
    return found


def chosen(arguments: argparse.Namespace) -> list[Library]:
    """Return the libraries that the command line asks for."""
    libraries = [library for library in pinned() if library.small or not arguments.small]
    if unknown := set(arguments.names) - {library.name for library in libraries}:
        raise SystemExit(f"no such library: {', '.join(sorted(unknown))}")
    return [library for library in libraries if not arguments.names or library.name in arguments.names]


def run(*command: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, apart from what this process was told about Python's paths."""
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PULLBACK_AS_TORCH")}
    print("$", *command, flush=True)
    return subprocess.run(
        [*map(str, command)], cwd=folder, env=variables, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip


def needed(*command: str | Path) -> str:
    """Run a command that everything else builds on; return what it printed."""
    done = run(*command)
    if done.returncode:
        raise SystemExit(done.stdout)
    return done.stdout


def prepare(python: Path, libraries: Sequence[Library], here: bool) -> str:
    """Install pullback, torch by its command, and the libraries; return torch's version."""
    pip = [python, "-m", "pip", "install", "--quiet"]
    if not here:
        needed(*pip, f"{ROOT}[compile,files]")
    needed(python, "-m", "pullback", "install-torch")
    about = "import importlib.metadata as m; print(m.version('torch'))"
    torch = needed(python, "-c", about).strip()
    # By its version, so that pip replaces it by no other.
    pins = [f"{library.name}=={library.version}" for library in libraries]
    needed(*pip, f"torch=={torch}", "pytest", *pins)
    needed(python, "-c", "import pullback, torch; assert torch is pullback")
    return torch


def works(python: Path, library: Library, folder: Path) -> bool:
    """Run a library's program both ways; return whether it ended well."""
    # Away from this folder, whose settings for pytest are not a user's.
    program = Path(shutil.copy(library.program, folder))
    ways = {"python": [program], "pytest": ["-m", "pytest", "-q", program]}
    good = True
    for way, arguments in ways.items():
        start = time.perf_counter()
        done = run(python, *arguments, folder=folder)
        seconds = time.perf_counter() - start
        good = good and done.returncode == 0
        result = "works" if done.returncode == 0 else f"failed\n{done.stdout}"
        print(f"{library.name} {library.version} under {way}: {result} ({seconds:.1f} s)", flush=True)
    return good


def table(torch: str, results: dict[Library, bool]) -> str:
    """Return the table of the page, in Markdown."""
    today = datetime.datetime.now(datetime.UTC).date()
    machine = f"{platform.system()} ({platform.machine()})"
    lines = [
        f"Run on {today}, as torch {torch}, by Python {platform.python_version()} on {machine}:",
        "",
        "| library | version | what was run | result |",
        "|---|---|---|---|",
        *(
            f"| {library.name} | {library.version} | {library.about} | {'works' if good else 'fails'} |"
            for library, good in sorted(results.items())
        ),
    ]
    return "\n".join(lines)


def write(torch: str, results: dict[Library, bool]) -> None:
    """Put the table into the page, in the place of the last one."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table(torch, results)}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.works_with", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="libraries, as requirements.txt names them")
    parser.add_argument("--small", action="store_true", help="those that CI runs")
    parser.add_argument("--here", action="store_true", help="use the environment of this Python")
    parser.add_argument("--write", action="store_true", help="write the table of docs/works-with.md")
    arguments = parser.parse_args()
    libraries = chosen(arguments)
    if arguments.write and libraries != pinned():
        parser.error("the table is written of all libraries")
    with tempfile.TemporaryDirectory() as name:
        python = Path(sys.executable)
        if not arguments.here:
            venv.create(Path(name) / "environment", with_pip=True)
            python = Path(name) / "environment" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        torch = prepare(python, libraries, arguments.here)
        results = {library: works(python, library, Path(name)) for library in libraries}
        if arguments.here:
            needed(python, "-m", "pullback", "uninstall-torch")
    if arguments.write:
        write(torch, results)
    failed = [library.name for library, good in results.items() if not good]
    print(f"{len(results) - len(failed)} of {len(results)} libraries work", *failed and ["; not:", *failed])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
