"""Make the distribution named `torch` that stands for pullback: what is in it, as files and as a wheel.

Libraries declare that they need torch, and an installer looks for a distribution of that name. This one has a
file that gives pullback under the name, and needs the very version of pullback that made it. It is never
installed unasked; `install_torch` puts it into an environment.
"""

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec

from pullback.torch_names import version

#: torch's version, and pullback's behind it.
VERSION = version.__version__
#: What tells its version from that of a torch: torch's own version is before it.
LOCAL = "+pullback."
FOLDER = f"torch-{VERSION}.dist-info"
WHEEL = f"torch-{VERSION}-py3-none-any.whl"

_MODULE = '''"""{name}, which is pullback here: `python -m pullback uninstall-torch` takes this file away."""

from importlib import import_module

from pullback.command.run import install

install()
import_module("{name}")  # pullback's, which takes the place of this file
'''
_METADATA = f"""\
Metadata-Version: 2.1
Name: torch
Version: {VERSION}
Summary: pullback under the name torch
Requires-Python: >=3.11
Requires-Dist: pullback=={version.VERSION}

Gives pullback to programs and libraries that ask for torch.
"""
_ABOUT_WHEEL = """\
Wheel-Version: 1.0
Generator: pullback
Root-Is-Purelib: true
Tag: py3-none-any
"""


def entry_points() -> dict[str, str]:
    """Return torch's commands that there are here: the name of each and what it runs."""
    return {
        name: f"{module}:{function}"
        for name, module, function in (("torchrun", "torch.distributed.run", "main"),)
        if find_spec(module.replace("torch", "pullback", 1)) is not None
    }


def files() -> dict[str, bytes]:
    """Return what is in the distribution, by the paths in site-packages; without its list of files."""
    points = "".join(f"{name} = {target}\n" for name, target in entry_points().items())
    texts = {
        "torch.py": _MODULE.format(name="torch"), "functorch.py": _MODULE.format(name="functorch"),
        f"{FOLDER}/METADATA": _METADATA, f"{FOLDER}/WHEEL": _ABOUT_WHEEL,
        f"{FOLDER}/top_level.txt": "functorch\ntorch\n",
    }  # fmt: skip
    if points:
        texts[f"{FOLDER}/entry_points.txt"] = f"[console_scripts]\n{points}"
    return {path: text.encode() for path, text in texts.items()}


def record(contents: Mapping[str, bytes]) -> bytes:
    """Return the list of files: path, digest and size of each, and of itself the path."""
    lines = []
    for path, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{FOLDER}/RECORD,,\n"]).encode()


def wheel() -> bytes:
    """Return the distribution as a wheel; the same bytes each time."""
    contents = files()
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**contents, f"{FOLDER}/RECORD": record(contents)}.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return memory.getvalue()
