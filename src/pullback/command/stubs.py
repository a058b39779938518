"""Write ``python -m pullback stubs [FOLDER]``: types for programs that say ``import torch``.

Requirements:

- In the folder, `torch.x.y` has the types of `pullback.x.y`, for every module that a program can import under
  torch's name; so has `functorch`.
- Nothing is said twice: a stub is a line that says where its names come from.
- The types are pullback's also where torch is installed: type checkers look into the folder first.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

USAGE = """\
usage: python -m pullback stubs [FOLDER]

Writes type stubs for `import torch` into a folder, `typings` if none is named.

pyright looks into `typings` by itself. Tell mypy in its configuration:

    [tool.mypy]
    mypy_path = "typings"

or by the environment: MYPYPATH=typings mypy program.py"""

PACKAGE = Path(__file__).parents[1]
HOME = "torch_names"

#: What is pullback's own, and no module of torch's.
OWN = frozenset({
    "absent_devices", "array", "command", "conditions", "core", "errors", "exclusions", "explain",
    "ops", "streams", "symbolic", "tensor",
})  # fmt: skip


class Module(NamedTuple):
    """A module that torch has too: its name there by parts, its home here, whether it is a package."""

    name: tuple[str, ...]
    home: str
    is_package: bool


def modules() -> Iterator[Module]:
    """Find the modules of the package that torch has too."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        parts = parts[:-1] if is_package else parts
        name = parts[1:] if parts[:1] == (HOME,) else parts
        if (name or not parts) and not any(part in OWN or part.startswith("_") for part in name):
            yield Module(name, ".".join(("pullback", *parts)), is_package)


def write(folder: Path) -> int:
    """Write the stubs and return how many there are."""
    count = 0
    for module in modules():
        packages = [("torch",)] if module.name[:1] != ("functorch",) else [("torch",), ()]
        for root in packages:
            path = folder.joinpath(*root, *module.name)
            path = path / "__init__.pyi" if module.is_package else path.with_name(f"{path.name}.pyi")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"from {module.home} import *\n", encoding="utf-8")
            count += 1
    return count


def main(arguments: Sequence[str]) -> int:
    """Write the stubs where the arguments of `python -m pullback stubs` say; the exit status."""
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        print(USAGE, file=sys.stderr if len(arguments) > 1 else sys.stdout)
        return 2 if len(arguments) > 1 else 0
    folder = Path(arguments[0] if arguments else "typings")
    print(f"{write(folder)} stubs for `import torch` in {folder}")
    return 0
