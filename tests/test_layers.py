"""The arrow of docs/design: a module imports from its own layer's part and from the layers below, never
upward.

Every import statement counts, at whatever depth it stands, so that a lazy import cannot hide a cycle; so do
`importlib.import_module`, `__import__` and `sys.modules` with a literal name. Only `if TYPE_CHECKING:` is
exempt.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from .sources import PACKAGE, Source, dotted, package, read

#: From the ground up. A layer has one or more parts, which do not know each other; the names of one part,
#: each a file or a folder of the package, may import each other.
LAYERS = [
    [
        (
            "version torch_version torch_names errors exclusions "
            "symbolic _guards"
        )
    ],
    ["array"],
    ["core"],
    ["ops"],
    [(
            "absent_devices tensor fft linalg nested quasirandom random return_types signal sparse special "
            "storage futures streams types"
        )],
    ["autograd", "_subclasses _tensor_str", "testing", "accelerator amp backends cpu cuda mps mtia xpu"],
    ["func _aten masked _vmap_internals _functorch _C _ops"],
    ["nn"],
    ["optim", "utils", "_utils", "conditions", "ao", "_higher_order_ops", "distributions", "multiprocessing",
     "functorch"],
    ["compile compiler _dynamo _inductor", "explain", "library", "profiler"],
    [
        (
            "__config__ __init__ __main__ _VF _behind _custom_ops command distributed export frozen "
            "functional fx hub jit onnx overrides serialization structure"
        )
    ],
]

PLACE = {
    name: (height, part)
    for height, layer in enumerate(LAYERS)
    for part in layer
    for name in part.split()
}
TOP = len(LAYERS) - 1


def unit_of(module: str) -> str:
    """The name that has a place: `core` for `pullback.core.op`, `cuda` for `pullback.torch_names.cuda`,
    `__init__` for `pullback` itself.
    """
    parts = module.split(".")
    if parts[1:2] == ["torch_names"] and len(parts) > 2:
        parts = parts[1:]
    return parts[1] if len(parts) > 1 else "__init__"


def absolute(name: str, level: int, package: str) -> str:
    """The full name of a module that is named relative to a package."""
    if level == 0:
        return name
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])


#: The functions that import, by their names.
IMPORTING = ("__import__", "import_module", "importlib.import_module", "import_later", "sys.modules.get")


def named_at_run_time(node: ast.AST) -> ast.expr | None:
    """The expression that names a module in an import which is not a statement."""
    if isinstance(node, ast.Call) and node.args and dotted(node.func) in IMPORTING:
        return node.args[0]
    if isinstance(node, ast.Subscript) and dotted(node.value) == "sys.modules":
        return node.slice
    return None


def imports(source: Source, package: str, submodules: set[str]) -> Iterator[tuple[int, str]]:
    """Line and name of each module of pullback that a file imports; "?" for a name known only at run time."""
    for node in source.importing:
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node.module or "", node.level, package)
            found = [module]
            if module in ("pullback", "pullback.torch_names"):
                found = [f"{module}.{a.name}" if a.name in submodules else module for a in node.names]
        elif (expression := named_at_run_time(node)) is not None:
            if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
                name = expression.value
                level = len(name) - len(name.lstrip("."))
                found = [absolute(name.lstrip("."), level, package)]
            elif ast.unparse(expression).startswith(("f'{__name__}.", "f'{__package__}.", "__name__")):
                found = [package]  # below the file's own package
            elif ast.unparse(expression).startswith("f'scipy."):
                continue  # of another package
            elif ast.unparse(expression) == "self.__name__":
                continue  # a module that `import_later` was given, where it was judged
            else:
                found = ["?"]
        else:
            continue
        for name in found:
            if name.split(".")[0] in ("pullback", "?"):
                yield node.lineno, name


def judge(importer: str, imported: str) -> str | None:
    """What is wrong with one unit of the package importing another, None if nothing is."""
    for unit in (importer, imported):
        if unit not in PLACE:
            return f"{unit} has no place in LAYERS"
    (height, part), (other_height, other_part) = PLACE[importer], PLACE[imported]
    if other_height > height:
        return f"{imported} is above {importer}"
    if other_height == height and part != other_part:
        return f"{imported} and {importer} stand side by side"
    return None


def violations(folder: Path, sources: list[Source]) -> list[str]:
    """Every import under a package folder that breaks the rule, as `file:line: what it imports: why not`."""
    places = [path for path in (folder, folder / "torch_names") if path.is_dir()]
    submodules = {
        path.stem for place in places for path in place.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    wrong = []
    for source in sources:
        path = source.path
        parts = path.relative_to(folder.parent).with_suffix("").parts
        unit = unit_of(".".join(part for part in parts if part != "__init__" or len(parts) == 2))
        if unit not in PLACE:
            wrong.append(f"{path}: {unit} has no place in LAYERS")
            continue
        enclosing = ".".join(parts[:-1])
        for line, name in imports(source, enclosing, submodules):
            if name == "?":
                free = PLACE[unit][0] == TOP or unit == "torch_names"  # which finds what programs import
                reason = None if free else "is named only at run time"
            else:
                reason = judge(unit, unit_of(name))
            if reason is not None:
                wrong.append(f"{path}:{line}: {name}: {reason}")
    return wrong


def test_no_import_points_upward() -> None:
    found = violations(PACKAGE, package())
    assert not found, "\n".join(["imports that point the wrong way:", *found])


# ------------------------------------------------------------------------------------------ the checker
# itself


def violations_with(folder: Path, file: str, source: str) -> list[str]:
    """What is wrong in a package with the usual names in it, all empty but one file."""
    for name in ("core", "ops", "tensor", "nn", "optim", "utils"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
    for name in ("__init__", "__main__", "errors"):
        (folder / f"{name}.py").touch()
    (folder / file).write_text(dedent(source), encoding="utf-8")
    return violations(folder, [read(path) for path in sorted(folder.rglob("*.py"))])


@pytest.mark.parametrize(
    "file, source, line, reason",
    [
        ("core/op.py", "import pullback.tensor", 1, "pullback.tensor: tensor is above core"),
        ("core/op.py", "import pullback.tensor.api as api", 1, "pullback.tensor.api: tensor is above core"),
        ("core/op.py", "from pullback.ops import add", 1, "pullback.ops: ops is above core"),
        ("core/op.py", "from pullback import nn", 1, "pullback.nn: nn is above core"),
        ("core/op.py", "from .. import errors, tensor", 1, "pullback.tensor: tensor is above core"),
        ("core/op.py", "from ..ops.view import transpose", 1, "pullback.ops.view: ops is above core"),
        ("core/__init__.py", "from ..ops import view", 1, "pullback.ops: ops is above core"),
        ("nn/linear.py", "import os, pullback as torch", 1, "pullback: __init__ is above nn"),
        ("nn/linear.py", "from pullback import Tensor", 1, "pullback: __init__ is above nn"),
        ("nn/linear.py", "from .. import Tensor", 1, "pullback: __init__ is above nn"),
        ("optim/sgd.py", "from pullback.utils import data", 1, "utils and optim stand side by side"),
        ("errors.py", "def f():\n    from . import core", 2, "pullback.core: core is above errors"),
        ("ops/a.py", "class A:\n def f():\n  try: 0\n  finally: import pullback.nn", 4, "nn is above ops"),
        ("ops/a.py", "import importlib\nimportlib.import_module('pullback.nn')", 2, "nn is above ops"),
        ("ops/a.py", "x = import_module('..nn', __package__)", 1, "pullback.nn: nn is above ops"),
        ("ops/a.py", "x = import_later('..nn', __package__)", 1, "pullback.nn: nn is above ops"),
        ("ops/a.py", "__import__('pullback.nn')", 1, "nn is above ops"),
        ("ops/a.py", "sys.modules['pullback.nn'].Linear", 1, "nn is above ops"),
        ("ops/a.py", "sys.modules.get('pullback')", 1, "__init__ is above ops"),
        ("ops/a.py", "import_module(f'pullback.{name}')", 1, "?: is named only at run time"),
        ("ops/a.py", "import pullback.novelty", 1, "novelty has no place in LAYERS"),
        ("ops/a.py", "if TYPE_CHECKING:\n  1\nelse:\n  from pullback import nn", 4, "nn is above ops"),
    ],
)
def test_the_checker_catches(tmp_path: Path, file: str, source: str, line: int, reason: str) -> None:
    folder = tmp_path / "pullback"
    (found,) = violations_with(folder, file, source)
    assert found.startswith(f"{folder / file}:{line}: ")
    assert found.endswith(reason)


@pytest.mark.parametrize(
    "file, source",
    [
        ("core/op.py", "import pullback.errors, numpy\nfrom . import node\nfrom .. import errors"),
        ("core/op.py", "from __future__ import annotations\nimport_module('scipy.special')"),
        ("core/op.py", "import_module(f'scipy.{name}')"),
        ("core/op.py", "if TYPE_CHECKING:\n    from pullback.tensor import Tensor"),
        ("core/op.py", "if typing.TYPE_CHECKING:\n    import pullback.nn"),
        ("ops/add.py", "from ..errors import note"),
        ("nn/__init__.py", "import_module(f'{__name__}.{name}')\nimport_module('.linear', __name__)"),
        ("utils/data.py", "from pullback import tensor, nn\nfrom pullback.core import modes"),
        ("__init__.py", "from . import tensor, nn, optim\nimport_module(f'pullback.{name}')"),
        ("__main__.py", "import pullback"),
    ],
)
def test_the_checker_allows(tmp_path: Path, file: str, source: str) -> None:
    assert violations_with(tmp_path / "pullback", file, source) == []


def test_the_checker_asks_for_a_place_for_each_file(tmp_path: Path) -> None:
    folder = tmp_path / "pullback"
    found = violations_with(folder, "novelty.py", "")
    assert found == [f"{folder / 'novelty.py'}: novelty has no place in LAYERS"]


def test_what_functions_bind_anew_is_named_in_one_place() -> None:
    """A name that a function binds for its module is state of the process: docs/design/0021 says whose."""
    note = (PACKAGE.parents[1] / "docs/design/0021-folders.md").read_text(encoding="utf-8")
    named = {word for row in note.splitlines() if row.startswith("| `") for word in row.split("`")[1::2]}
    binding = {
        source.path.relative_to(PACKAGE).as_posix() for source in package() if source.binds_globals
    }
    assert binding - named == set()
    assert {name for name in named if name.endswith(".py") and "/" in name} - binding == set()


def test_files_and_functions_are_of_a_size() -> None:
    """Files have at most 500 lines, functions 60 beside a docstring; docs/design/0021 names the others."""
    long = set()
    for source in package():
        name = source.path.relative_to(PACKAGE).as_posix()
        if source.text.count("\n") > 500:
            long.add(f"- `{name}`")
        for found in source.definitions:
            if found.lines > 60 and found.kind is not ast.ClassDef:
                long.add(f"- `{name}: {found.name}`")
    note = (PACKAGE.parents[1] / "docs/design/0021-folders.md").read_text(encoding="utf-8")
    assert {row.partition(",")[0] for row in note.splitlines() if row.startswith("- `")} == long
