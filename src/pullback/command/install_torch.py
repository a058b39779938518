"""Define commands `install-torch` and `uninstall-torch`: let `import torch` give pullback in an environment.

What this module must do:

- put the distribution of `torch_wheel` into the environment of the Python that runs it, with its commands;
- touch no torch that is there already, and take away nothing but what it has put there;
- leave nothing half-written: what cannot be finished is undone.
"""

import importlib.metadata
import os
import stat
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from pullback.command import torch_wheel

USAGE = """\
usage: python -m pullback install-torch
       python -m pullback uninstall-torch

Lets `import torch` give pullback in the environment of this Python: a distribution named
torch, for programs and libraries that need one. A torch that is there is not touched.
`uninstall-torch` takes it away again."""

_SCRIPT = """\
#!{python}
import sys

import torch
from {module} import {function}

sys.exit({function}())
"""


class Refused(Exception):
    """Say why nothing was done."""


def _folder() -> Path:
    return Path(sysconfig.get_path("purelib"))


def _scripts() -> Path:
    return Path(sysconfig.get_path("scripts"))


def found() -> importlib.metadata.Distribution | None:
    """Return the torch of this environment; None where there is none."""
    folders = {str(_folder()), sysconfig.get_path("platlib"), *sys.path}
    there = importlib.metadata.distributions(name="torch", path=[*folders])
    return next(iter(there), None)


def install() -> list[Path]:
    """Put the distribution into the environment; return the files.

    Raises
    ------
    Refused
        There is a torch, or the environment is the system's own.
    """
    torch, folder = found(), _folder()
    if torch is not None:
        if torch_wheel.LOCAL in torch.version:
            raise Refused(f"torch {torch.version} is there already: it is pullback")
        raise Refused(f"torch {torch.version} is installed in this environment: use one without it")
    for name in ("torch", "torch.py"):
        if (folder / name).exists():
            raise Refused(f"{folder / name} is there, which belongs to no distribution")
    marker = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    if sys.prefix == sys.base_prefix and marker.exists():
        raise Refused("this Python is the system's own: make an environment (python -m venv) for it")
    contents = torch_wheel.files()
    for name, target in torch_wheel.entry_points().items() if os.name == "posix" else ():
        module, _, function = target.partition(":")
        text = _SCRIPT.format(python=sys.executable, module=module, function=function)
        contents[os.path.relpath(_scripts() / name, folder)] = text.encode()
    contents[f"{torch_wheel.FOLDER}/INSTALLER"] = b"pullback\n"
    contents[f"{torch_wheel.FOLDER}/RECORD"] = torch_wheel.record(contents)
    written: list[Path] = []
    try:
        for path, content in contents.items():
            place = Path(os.path.normpath(folder / path))
            place.parent.mkdir(parents=True, exist_ok=True)
            with open(place, "xb") as file:
                written.append(place)
                file.write(content)
            if place.parent == _scripts():
                place.chmod(place.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    except OSError as error:
        _remove(written)
        raise Refused(f"{error.filename} cannot be written: {error.strerror}") from error
    return written


def uninstall() -> list[Path]:
    """Take the distribution away; return the files.

    Raises
    ------
    Refused
        There is none, or it is another torch.
    """
    if (torch := found()) is None:
        raise Refused("there is no torch in this environment")
    if torch_wheel.LOCAL not in torch.version:
        raise Refused(f"torch {torch.version} is not pullback's: the installer that installed it removes it")
    gone = [Path(os.path.normpath(str(torch.locate_file(file)))) for file in torch.files or ()]
    _remove(gone)
    return gone


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
    for folder in {path.parent for path in paths if path.parent.name.endswith(".dist-info")}:
        if folder.exists() and not any(folder.iterdir()):
            folder.rmdir()
    for folder in {path.parent / "__pycache__" for path in paths if path.suffix == ".py"}:
        for name in ("torch", "functorch"):
            for compiled in folder.glob(f"{name}.*.pyc"):
                compiled.unlink()


def main(command: str, arguments: Sequence[str]) -> int:
    """Do what a command line asks; return the exit status."""
    if arguments:
        helped = arguments[0] in ("-h", "--help")
        print(USAGE, file=sys.stdout if helped else sys.stderr)
        return 0 if helped else 2
    try:
        paths = install() if command == "install-torch" else uninstall()
    except Refused as reason:
        print(f"python -m pullback {command}: {reason}", file=sys.stderr)
        return 1
    done = "installed" if command == "install-torch" else "removed"
    print(f"{done} torch {torch_wheel.VERSION}, which is pullback ({len(paths)} files in {_folder()})")
    if command == "install-torch":
        print(f"Name it when libraries are installed: pip install torch=={torch_wheel.VERSION} LIBRARY ...")
    return 0
