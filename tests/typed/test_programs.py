"""Programs as users write them, with ``import torch``: type checkers know their types, and they run.

Each program in `programs` says with `assert_type` what a checker must find, and marks what it must refuse
with ``# type: ignore[...]``, which is an error where there is nothing to refuse.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
NAMES = sorted(path.name for path in PROGRAMS.glob("*.py"))

# A program that names pullback itself, and mistakes in it, one a line.
PROGRAM = """\
import pullback as torch
import pullback.nn.functional as F
from pullback import nn

x = torch.zeros(3, requires_grad=True)
y: torch.Tensor = x.sin().sum()
z: torch.Tensor = (2 * x - x**2 / 3) @ torch.randn(3).add_(1).clamp_(min=0)
kind: torch.dtype = x.to(torch.float64).dtype
size: torch.Size = x.reshape(-1, 1).shape
answer: bool = x.is_floating_point()
p: torch.Tensor = nn.Parameter(torch.ones(2, 2))
inverse: torch.Tensor = torch.linalg.inv(p)
loss: torch.Tensor = F.mse_loss(nn.Linear(3, 1)(x), torch.ones(1))
loss.backward()
with torch.no_grad():
    x[x > 0] = 1
for row in torch.eye(3):
    total: torch.Tensor = row + 1
"""

WRONG = """\
x.sine()
torch.zeroes(3)
torch.zeros("3")
text: str = x.sum()
F.mse_los(x, x)
"""


def run(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python with pullback on its path."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, **more}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=cwd, timeout=280
    )


@pytest.fixture(scope="module")
def typings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project's folder with the stubs in it."""
    project = tmp_path_factory.mktemp("project")
    done = run("-m", "pullback", "stubs", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "typings/torch/utils/data/__init__.pyi").is_file()
    assert (project / "typings/functorch/__init__.pyi").is_file()
    return project / "typings"


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy checks the programs: pip install '.[dev]'")
def test_mypy_finds_the_types(typings: Path, tmp_path: Path) -> None:
    # One run for all: a second one took another 13 s of processor time to read the package.
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + WRONG, encoding="utf-8")
    done = run(
        "-m", "mypy", "--config-file=", "--follow-imports=silent", "--warn-unused-ignores",
        "--check-untyped-defs", f"--cache-dir={typings.parent / 'cache'}", *NAMES, str(program),
        cwd=PROGRAMS, MYPYPATH=f"{typings}{os.pathsep}{ROOT / 'src'}",
    )  # fmt: skip
    first = len(PROGRAM.splitlines()) + 1
    wrong = [line.split(" error: ")[0] for line in done.stdout.splitlines() if " error: " in line]
    places = [tuple(place.rsplit("/", 1)[-1].split(":")[:2]) for place in wrong]
    expected = [("program.py", str(first + k)) for k in range(len(WRONG.splitlines()))]
    assert places == expected, done.stdout + done.stderr


@pytest.mark.skipif(
    find_spec("basedpyright") is None, reason="pyright, with the node that it needs: pip install basedpyright"
)
def test_pyright_finds_the_types(typings: Path) -> None:
    settings = {
        "include": [str(PROGRAMS)], "stubPath": str(typings), "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "basic", "enableTypeIgnoreComments": True,
        "reportUnnecessaryTypeIgnoreComment": "error", "pythonVersion": "3.11",
    }  # fmt: skip
    file = typings.parent / "pyrightconfig.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    done = run("-m", "basedpyright", "--project", str(file), cwd=typings.parent)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_programs_run() -> None:
    program = (
        f"import runpy\nfor name in {NAMES!r}:\n    runpy.run_path({str(PROGRAMS)!r} + '/' + name)\n"
    )
    done = run("-m", "pullback", "-c", program, cwd=PROGRAMS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_too_many_arguments_are_refused(tmp_path: Path) -> None:
    done = run("-m", "pullback", "stubs", "one", "two", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m pullback stubs [FOLDER]")
