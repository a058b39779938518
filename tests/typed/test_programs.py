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
def test_mypy_finds_the_types(typings: Path) -> None:
    done = run(
        "-m", "mypy", "--config-file=", "--follow-imports=silent", "--warn-unused-ignores",
        "--check-untyped-defs", f"--cache-dir={typings.parent / 'cache'}", *NAMES,
        cwd=PROGRAMS, MYPYPATH=f"{typings}{os.pathsep}{ROOT / 'src'}",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


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
