"""Run notebooks: their cells as Python, ``%load_ext pullback``, and a kernel in which torch is pullback.

What this module must do:

- give the code of a notebook's cells as Python: what only IPython understands (``%matplotlib``, ``!pip``) is
  left out, line by line, so that line numbers stay;
- write the description by which Jupyter starts a kernel, and take it away.
"""

import argparse
import ast
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

#: Magics of a whole cell whose cell is Python all the same.
_OF_PYTHON = frozenset({"capture", "prun", "python", "python3", "time", "timeit"})
#: A line that only IPython understands: a magic, a command of the shell, a question.
_OTHER = re.compile(r"(\s*)(?:%{1,2}[a-zA-Z]|[!?]|[^#'\"]*\?\s*$|[\w\s,.]+=\s*(?:!|%[a-zA-Z]))")
NAME = "pullback"


class UnreadableNotebook(ValueError):
    """A file is no notebook."""


def is_notebook(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a notebook, by its name."""
    return os.fspath(path).endswith(".ipynb")


def cells(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the number of each cell of code, from 1 on among all cells, and its Python.

    Raises
    ------
    UnreadableNotebook
    """
    try:
        notebook = json.loads(Path(path).read_text(encoding="utf-8"))
        found = [(n, c) for n, c in enumerate(notebook["cells"], 1) if c["cell_type"] == "code"]
        texts = [(n, c["source"] if isinstance(c["source"], str) else "".join(c["source"])) for n, c in found]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableNotebook(f"{os.fspath(path)} is no notebook: {error}") from error
    for number, text in texts:
        yield number, as_python(text)


def as_python(text: str) -> str:
    """Return a cell as Python; one in another language is empty."""
    if (lines := text.splitlines()) and lines[0].startswith("%%"):
        if lines[0][2:].split(" ", 1)[0].strip() not in _OF_PYTHON:
            return ""
        lines[0] = ""
    try:
        ast.parse(text)
    except SyntaxError:
        for n, line in enumerate(lines):
            if match := _OTHER.match(line):
                lines[n] = f"{match[1]}pass  # {line.strip()}"
    return "\n".join(lines) + "\n"


def whole(path: str | os.PathLike[str]) -> str:
    """Return all cells as one program; a comment says where each begins."""
    return "\n".join(f"# cell {number}\n{text}" for number, text in cells(path))


# --- in Jupyter ---------------------------------------------------------------------------------------------


def load_ipython_extension(shell: Any) -> None:
    """Let `import torch` give pullback in a notebook: what ``%load_ext pullback`` calls."""
    from pullback.command.run import install

    install()


def _folder(user: bool) -> Path:
    """Return where Jupyter looks for kernels: of this environment, or of the user."""
    if not user:
        return Path(sys.prefix) / "share" / "jupyter" / "kernels"
    if named := os.environ.get("JUPYTER_DATA_DIR"):
        return Path(named) / "kernels"
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Jupyter" / "kernels"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming") / "jupyter" / "kernels"
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else home / ".local" / "share") / "jupyter" / "kernels"


def kernel() -> dict[str, Any]:
    """Return the description of the kernel: IPython's own, in a process in which torch is pullback."""
    return {
        "argv": [sys.executable, "-m", "pullback", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (pullback as torch)", "language": "python", "metadata": {"debugger": False},
    }  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Install or remove the kernel; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m pullback jupyter",
        description="Install a Jupyter kernel in which `import torch` gives pullback.",
    )
    parser.add_argument("action", choices=("install", "uninstall"))
    parser.add_argument("--user", action="store_true", help="for the user, not for this environment")
    options = parser.parse_args(arguments)
    folder = _folder(options.user) / NAME
    try:
        if options.action == "install":
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "kernel.json").write_text(json.dumps(kernel(), indent=1), encoding="utf-8")
        elif not folder.exists():
            print(f"python -m pullback jupyter: there is no kernel in {folder}", file=sys.stderr)
            return 1
        else:
            shutil.rmtree(folder)
    except OSError as error:
        print(f"python -m pullback jupyter: {error}", file=sys.stderr)
        return 1
    print(f"{'installed' if options.action == 'install' else 'removed'} the kernel {NAME} in {folder}")
    return 0
